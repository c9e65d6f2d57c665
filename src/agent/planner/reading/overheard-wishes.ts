import type { Term } from '../words/read-terms.ts';
import { joinsPieces } from './split-pieces.ts';
import type { Capability, Wish } from './wish.ts';

/** Wishes whose own words may speak of tests or a review without asking for them. */
const speaking: ReadonlySet<Capability> = new Set([
  'runTests',
  'tests',
  'review',
  'summary',
  'email',
  'message',
  'createIssue',
  'write',
  'read',
  'listIssues',
]);

/**
 * Tests and reviews that a sentence names on their own where its verb asks for something else: "unit tests are
 * a must, a review would be nice".
 */
export function overheardWishes(
  terms: readonly Term[],
  wishes: readonly Wish[],
  denied: readonly Capability[],
): readonly Wish[] {
  if (!wishes.some(({ capability }) => capability === 'code')) return [];
  const elsewhere = new Set(
    wishes.filter(({ capability }) => speaking.has(capability)).flatMap((wish) => wish.terms),
  );
  return (['tests', 'review'] as const).flatMap((capability): readonly Wish[] => {
    const isKnown =
      denied.includes(capability) || wishes.some((wish) => wish.capability === capability);
    const isRun = capability === 'tests' && wishes.some((wish) => wish.capability === 'runTests');
    if (isKnown || isRun) return [];
    const tag = capability === 'tests' ? 'n.test' : 'n.review';
    const at = terms.findIndex(
      (term, place) => term.tags.has(tag) && !elsewhere.has(term) && standsAlone(terms, place),
    );
    return at < 0
      ? []
      : [{ capability, target: 'open', terms: terms.slice(at, at + 1), isImplied: true }];
  });
}

/** Named as a thing to be had: after a comma, a conjunction or "with", and not part of a longer name. */
function standsAlone(terms: readonly Term[], at: number): boolean {
  const term = terms[at];
  if (!term || /^(?:test|coverage|feedback|opinion|verdict)$/u.test(term.word)) return false;
  let before = at - 1;
  while (before >= 0 && isPlainQuality(terms[before])) before -= 1;
  const joins = before < 0 || joinsPieces(terms, before);
  const next = terms[at + 1];
  const isName =
    next !== undefined &&
    next.kind === 'word' &&
    (next.tags.size === 0 || next.tags.has('n.soft')) &&
    !/^(?:would|will|could|is|are|was|were|wanted|wurde|waren|seraient|serian)$/u.test(next.word);
  const sentence = terms.slice(0, at);
  const from = sentence.findLastIndex(
    ({ kind, word }) => kind === 'break' || /^[.;!?,]$/u.test(word),
  );
  const isTold = sentence
    .slice(from + 1)
    .some(({ word }) => /^(?:that|which|who|where)$/u.test(word));
  return joins && !isName && !isTold;
}

function isPlainQuality(term: Term | undefined): boolean {
  return (
    term !== undefined &&
    term.kind === 'word' &&
    (term.tags.has('f.det') || term.slots.testFramework !== undefined) &&
    !/^(?:the|this|that|all|both)$/u.test(term.word)
  );
}
