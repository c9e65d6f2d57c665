import { contentWords } from '../words/content-words.ts';
import { findGiven, type GivenKind } from './context.ts';
import type { DataKind, Source } from './draft.ts';
import type { Drafting } from './drafting.ts';
import { consults } from './consulted.ts';
import { fieldOf, type ToolProfile } from './tool-profile.ts';
import { eachLanguage } from '../reading/understand.ts';
import { saysWhich, speaksOfReview } from './wish-terms.ts';
import type { Wish } from '../reading/wish.ts';

export function addSpec(wish: Wish, tool: ToolProfile, drafting: Drafting): void {
  if (drafting.drafts.some(({ capability }) => capability === 'spec')) return;
  const sources = [...drafting.readAll(wish), ...drafting.steps('text')];
  const { context, understanding } = drafting.deciding;
  const given = findGiven(context, 'spec', 'text', 'code');
  const isSaid =
    understanding.hasContent &&
    (contentWords(wish.terms).length > 0 ||
      wish.target !== 'given' ||
      understanding.terms.length > wish.terms.length);
  if (sources.length === 0 && !isSaid && !given && context.lastRequest === undefined) {
    drafting.missing.push({ what: 'purpose', capability: 'spec' });
  }
  drafting.push({
    wish,
    tool,
    sources: sources.length > 0 || isSaid || !given ? sources : [{ from: 'given', given }],
  });
}

export function addCode(wish: Wish, tool: ToolProfile, drafting: Drafting): void {
  const earlier = drafting.drafts.filter(({ capability }) => capability === 'code');
  const isOnlyCode = drafting.drafts.every(({ capability }) =>
    ['code', 'spec', 'read', 'search', 'listIssues'].includes(capability),
  );
  const hasContent = contentWords(wish.terms).length > 0;
  // "We need an LRU cache. Write it test-first": the second speaks of the first.
  if (earlier.length > 0 && isOnlyCode && (wish.target === 'given' || !hasContent) && !wish.isSame)
    return;
  if (earlier.length > 0 && wish.target === 'new' && !hasContent && !wish.isSame) return;
  if (earlier.length > 0 && drafting.isJoined && wish.target === 'new') return;
  const sources = codeSources(wish, hasContent, drafting);
  if (!sources) return;
  const languages = drafting.isJoined
    ? []
    : wish.target === 'new' || wish.isSame
      ? eachLanguage(wish.terms)
      : [];
  const made = (languages.length > 1 ? languages : [undefined]).map((language) =>
    drafting.push({
      wish,
      tool: toolFor(wish, tool, drafting),
      sources,
      more: language === undefined ? {} : { language },
    }),
  );
  const isChange = sources.some((source) => kindOf(source) === 'code') && earlier.length > 0;
  drafting.code = isChange
    ? made
    : [...drafting.code.filter(({ from }) => from === 'step'), ...made].filter(
        (source) => !isReadSource(source, drafting),
      );
}

/** New code by a library's documentation or the team's standard has a tool of its own, where there is one. */
function toolFor(wish: Wish, tool: ToolProfile, { deciding }: Drafting): ToolProfile {
  if (wish.target !== 'new' || !consults(deciding.message, deciding.understanding.terms))
    return tool;
  const able = deciding.tools.get('code')?.find((one) => fieldOf(one, 'libraries') !== undefined);
  return able ?? tool;
}

function isReadSource(source: Source, drafting: Drafting): boolean {
  return [...drafting.read.values()].includes(source);
}

/** What new or changed code is made from; undefined when it cannot be told. */
function codeSources(
  wish: Wish,
  hasContent: boolean,
  drafting: Drafting,
): readonly Source[] | undefined {
  const { context, understanding } = drafting.deciding;
  const material = [
    ...drafting.readAll(wish),
    ...drafting.steps('spec'),
    ...drafting.steps('text'),
    ...(understanding.isTestFirst ? drafting.steps('tests') : []),
  ];
  const unique = [...new Set([...material, ...drafting.read.values()])];
  const review = drafting.steps('review', 'report');
  if (wish.isSame && drafting.code.length > 0) return [];
  if (wish.isSame) {
    if (context.lastRequest === undefined && context.given.length === 0)
      drafting.missing.push({ what: 'subject', capability: 'code' });
    return [];
  }
  if (wish.target === 'new') {
    if (hasContent || unique.length > 0) return unique;
    const given = findGiven(
      context,
      ...(context.latest === 'code'
        ? (['code', 'spec', 'text'] as const)
        : (['spec', 'code', 'text'] as const)),
    );
    if (given) return [{ from: 'given', given }];
    const isElsewhere = understanding.hasContent && saysElsewhere(wish, drafting);
    if (!isElsewhere) drafting.missing.push({ what: 'purpose', capability: 'code' });
    return unique;
  }
  if (unique.length > 0) return [...unique, ...review];
  if (drafting.code.length > 0) return [...drafting.code, ...review];
  if (context.isCodeUnclear && !saysWhich(wish.terms)) {
    drafting.missing.push({ what: 'which code' });
    return undefined;
  }
  const order: readonly GivenKind[] =
    context.given[0]?.kind === 'spec'
      ? ['spec', 'code', 'text']
      : ['code', 'spec', 'tests', 'text'];
  const given = findGiven(context, ...order);
  const advice = findGiven(context, 'review');
  if (given)
    return [
      { from: 'given', given },
      ...review,
      ...(advice && speaksOfReview(wish.terms) ? [{ from: 'given' as const, given: advice }] : []),
    ];
  drafting.missing.push({ what: 'code', capability: 'code' });
  return undefined;
}

/** Another piece says what it is for: "Formalise, then implement: customers can gift a subscription". */
function saysElsewhere(wish: Wish, drafting: Drafting): boolean {
  const others = drafting.deciding.understanding.terms.filter((term) => !wish.terms.includes(term));
  return contentWords(others).length > 0;
}

function kindOf(source: Source): DataKind {
  return source.from === 'step' ? source.kind : source.given.kind;
}
