import type { Term } from '../words/read-terms.ts';

export function saysAll(terms: readonly Term[]): boolean {
  return terms.some(({ tags, word }) => tags.has('f.all') || /\beverything\b/u.test(word));
}

export function saysWhich(terms: readonly Term[]): boolean {
  return (
    saysAll(terms) ||
    terms.some(
      ({ word, kind }) => /last|latest|first|second|newest|recent/u.test(word) || kind === 'path',
    )
  );
}

export function speaksOfTests(terms: readonly Term[]): boolean {
  return terms.some((term) => term.tags.has('n.test'));
}

export function speaksOfReview(terms: readonly Term[]): boolean {
  return terms.some(
    (term) =>
      term.tags.has('n.review') ||
      term.tags.has('n.fixthing') ||
      /suggest|comment|advice|finding|recommend/u.test(term.word),
  );
}

export function namedKind(
  terms: readonly Term[],
): 'tests' | 'review' | 'spec' | 'code' | undefined {
  for (const { tags } of terms) {
    if (tags.has('n.test')) return 'tests';
    if (tags.has('n.review')) return 'review';
    if (tags.has('n.spec')) return 'spec';
    if (tags.has('n.code')) return 'code';
  }
  return undefined;
}
