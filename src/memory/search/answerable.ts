import { wordsOf } from '../converse/words.ts';
import type { ScoredItem } from '../items/memory-item-store.ts';
import type { Ranked } from './create-memory-search.ts';
import type { ReadQuery } from './read-query.ts';

const weights = { nearer: 8.3, ahead: 0.8, missingName: -2.1 };
/** Items that are as near as any other: from here to here in the order of likeness. */
const typicalFrom = 20;
const typicalTo = 100;
/** Items that are looked at for an answer, and the one they are compared with. */
const answers = 3;
const comparedWith = 5;

/**
 * Below this nothing that was found seems to answer.
 *
 * Calibrated on the tuning half of `bench/memory`, so that 92 % of its unanswerable questions are below. The vectors
 * of a small model do not tell what answers a question from what is about the same subject (area under the curve
 * 0.78): about half of the questions that have an answer are below, too. So it is a doubt, and hits are returned all the same.
 */
export const minConfidence = 3.08;

/** Grows with how far the best stand out among all, and shrinks when the question names what none of them does. */
export function confidence({
  ranked,
  byVector,
  read,
  speakers,
}: {
  readonly ranked: readonly Ranked[];
  readonly byVector: readonly ScoredItem[];
  readonly read: ReadQuery;
  readonly speakers: ReadonlySet<string>;
}): number {
  const best = ranked.slice(0, answers);
  const typical = byVector.slice(typicalFrom, typicalTo);
  const usual = typical.reduce((sum, { score }) => sum + score, 0) / Math.max(1, typical.length);
  const nearer = (byVector[0]?.score ?? 0) - usual;
  const ahead = (ranked[0]?.score ?? 0) - (ranked[comparedWith]?.score ?? 0);
  const words = new Set(best.flatMap(({ item }) => wordsOf(item.text)));
  const isNameMissing = [...read.names.difference(speakers)].some((name) =>
    wordsOf(name).some((word) => !words.has(word)),
  );
  return (
    nearer * weights.nearer + ahead * weights.ahead + (isNameMissing ? weights.missingName : 0)
  );
}
