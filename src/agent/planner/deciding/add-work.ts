import { findGiven } from './context.ts';
import type { Source } from './draft.ts';
import type { Drafting } from './drafting.ts';
import { fieldOf, type ToolProfile } from './tool-profile.ts';
import { saysAll, saysWhich, speaksOfTests } from './wish-terms.ts';
import type { Wish } from '../reading/wish.ts';

export function addOnCode(wish: Wish, tool: ToolProfile, drafting: Drafting): void {
  if (
    drafting.drafts.some(({ capability }) => capability === wish.capability) &&
    !isNewTarget(wish, drafting)
  )
    return;
  if (addOnPath(wish, tool, drafting)) return;
  const sources = workedOn(wish, drafting);
  if (!sources) return;
  for (const group of drafting.isJoined ? [sources] : sources.map((source) => [source])) {
    const made = drafting.push({
      wish,
      tool,
      sources: [
        ...group,
        ...(wish.capability === 'review' && speaksOfTests(wish.terms)
          ? drafting.steps('tests')
          : []),
      ],
    });
    if (wish.capability === 'format' || wish.capability === 'fixes') drafting.code = [made];
  }
}

/** Tools that read files themselves are given the path, where nobody else reads it or they measure files. */
function addOnPath(wish: Wish, tool: ToolProfile, drafting: Drafting): boolean {
  const hasReader = drafting.deciding.tools.has('read');
  const named = wish.terms.filter(({ kind }) => kind === 'path');
  const [path] = named.length > 0 || hasReader ? named : drafting.anyInputPath();
  const isRead = hasReader && ['tests', 'review'].includes(wish.capability);
  if (!path || isRead || !fieldOf(tool, 'path')) return false;
  drafting.push({ wish, tool, sources: [], more: { path: path.text } });
  return true;
}

/** A second review is one more only when code was changed in between. */
function isNewTarget(wish: Wish, drafting: Drafting): boolean {
  const last = drafting.drafts.findLast(({ capability }) => capability === wish.capability);
  const at = last ? drafting.drafts.indexOf(last) : -1;
  return drafting.drafts.slice(at + 1).some(({ capability }) => capability === 'code');
}

function workedOn(wish: Wish, drafting: Drafting): readonly Source[] | undefined {
  const { context, understanding } = drafting.deciding;
  const read = drafting.readAll(wish);
  if (read.length > 0) return read;
  if (drafting.code.length > 0) return drafting.code;
  const anywhere = drafting
    .anyInputPath()
    .map((path) => drafting.readPath(path))
    .filter((source) => source !== undefined);
  if (anywhere.length > 0) return anywhere;
  const wantsTests =
    wish.capability === 'review' &&
    speaksOfTests(wish.terms) &&
    !wish.terms.some((term) => term.tags.has('n.code'));
  if (context.isCodeUnclear) {
    const codes = context.given.filter(({ kind }) => kind === 'code');
    if (saysAll(wish.terms)) return codes.map((given) => ({ from: 'given' as const, given }));
    if (!saysWhich(wish.terms)) {
      drafting.missing.push({ what: 'which code' });
      return undefined;
    }
  }
  const given = findGiven(
    context,
    ...(wantsTests ? (['tests', 'code'] as const) : (['code', 'tests'] as const)),
  );
  if (given) return [{ from: 'given', given }];
  if (wish.capability === 'tests') {
    const spec = drafting.steps('spec');
    const known = findGiven(context, 'spec');
    if (spec.length > 0) return spec;
    if (known) return [{ from: 'given', given: known }];
    if (understanding.isTestFirst && understanding.hasContent) return specFirst(wish, drafting);
  }
  if (wish.capability === 'review') {
    const other = findGiven(context, 'spec', 'text');
    const made = drafting.steps('spec', 'text');
    if (made.length > 0) return made;
    if (other) return [{ from: 'given', given: other }];
  }
  const isFileNamed = drafting.anyInputPath().length > 0;
  drafting.missing.push(
    isFileNamed ? { what: 'reader' } : { what: 'code', capability: wish.capability },
  );
  return undefined;
}

/** Tests before code need something to test against. */
function specFirst(wish: Wish, drafting: Drafting): readonly Source[] {
  const tool = drafting.deciding.tools.get('spec')?.[0];
  return tool
    ? [
        drafting.push({
          wish: {
            ...wish,
            capability: 'spec',
            target: 'new',
            terms: drafting.deciding.understanding.terms,
          },
          tool,
          sources: [],
        }),
      ]
    : [];
}
