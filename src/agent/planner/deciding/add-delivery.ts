import { outputPath } from '../reading/classify-delivery.ts';
import { findGiven } from './context.ts';
import type { Source } from './draft.ts';
import type { Drafting } from './drafting.ts';
import { readView } from '../reading/piece-view.ts';
import type { ToolProfile } from './tool-profile.ts';
import { namedKind, saysAll } from './wish-terms.ts';
import type { Wish } from '../reading/wish.ts';

export function addWrite(wish: Wish, tool: ToolProfile, drafting: Drafting): void {
  const made = drafting.drafts.filter(
    ({ gives, capability }) =>
      ['code', 'tests', 'spec', 'review', 'text', 'report'].includes(gives) &&
      capability !== 'read',
  );
  const path =
    outputPath(readView({ join: 'start', terms: wish.terms }))?.text ??
    wish.terms.find(({ kind }) => kind === 'path')?.text;
  const named = namedKind(wish.terms);
  const fits = named ? made.filter(({ gives }) => gives === named) : [];
  const isBoth = wish.terms.some(({ word }) => /\bboth\b/u.test(word));
  const isAll = saysAll(wish.terms) || made.length === 0;
  const chosen = isBoth
    ? made.slice(-2)
    : isAll
      ? made
      : fits.length > 0
        ? fits.slice(-1)
        : made.slice(-1);
  const sources: readonly Source[] = chosen.map(({ id, gives }) => ({
    from: 'step',
    step: id,
    kind: gives,
  }));
  const given = findGiven(
    drafting.deciding.context,
    named ?? 'code',
    'code',
    'tests',
    'spec',
    'review',
    'text',
  );
  if (sources.length === 0 && !given) {
    drafting.missing.push({ what: 'subject', capability: 'write' });
    return;
  }
  const all: readonly Source[] =
    sources.length > 0 || !given ? sources : [{ from: 'given', given }];
  for (const group of isBoth ? all.map((source) => [source]) : [all]) {
    drafting.push({ wish, tool, sources: group, more: path === undefined ? {} : { path } });
  }
}

export function addOnText(wish: Wish, tool: ToolProfile, drafting: Drafting): void {
  const sources = materialFor(wish, drafting);
  if (sources.length === 0) drafting.missing.push({ what: 'subject', capability: wish.capability });
  drafting.push({ wish, tool, sources });
}

/** The latest thing there is that can be passed on as text. */
export function materialFor(wish: Wish, drafting: Drafting): readonly Source[] {
  if (
    ['search', 'listIssues', 'imports', 'vulnerabilities', 'docs', 'standard', 'status'].includes(
      wish.capability,
    )
  )
    return [];
  if (wish.capability === 'runTests') return drafting.steps('tests').slice(-1);
  if (wish.capability === 'pullRequest') return effects(drafting).slice(-1);
  const read = drafting.readAll(wish);
  const made = drafting.drafts
    .filter(({ gives }) => gives !== 'none' && gives !== 'url')
    .map(({ id, gives }): Source => ({ from: 'step', step: id, kind: gives }));
  const latest = made.at(-1) ?? read.at(-1);
  if (latest) return [latest];
  const given = findGiven(
    drafting.deciding.context,
    ...(wish.capability === 'summary'
      ? (['text', 'review', 'report', 'spec', 'code'] as const)
      : (['report', 'review', 'text'] as const)),
  );
  const isSaid = wish.capability !== 'summary' && wish.target !== 'given';
  return given && !isSaid ? [{ from: 'given', given }] : [];
}

/** Steps that change something outside; a pull request comes after them. */
function effects(drafting: Drafting): readonly Source[] {
  return drafting.drafts
    .filter(({ capability }) => ['write', 'runTests', 'code'].includes(capability))
    .map(({ id, gives }) => ({ from: 'step', step: id, kind: gives }));
}
