import type { Scores } from './score-model.ts';
import { bootstrapMean, mcnemar, type Interval } from './paired-tests.ts';

/** With at most this chance of a difference by accident a model counts as better. */
export const maxPValue = 0.05;
/** Fewer items say nothing, however they fall. */
const minItems = 5;

export interface Verdict {
  readonly better: 'first' | 'second' | 'neither';
  readonly test: 'mcnemar' | 'paired bootstrap';
  readonly pValue: number | null;
  /** First minus second, in the measure of the scores. */
  readonly difference: Interval;
  /** In one sentence. */
  readonly because: string;
}

/** Whether one model is better on the same items with confidence, not just by its mean. */
export function compareScores(first: Scores, second: Scores): Verdict {
  const deltas = first.items.map((value, at) => value - (second.items[at] ?? NaN));
  const difference = bootstrapMean(deltas, first.weights);
  const isHigherBetter = first.measure === 'accuracy';
  const sign = isHigherBetter ? 1 : -1;
  const lead = difference.value * sign;
  if (first.measure === 'accuracy') {
    const right = (scores: Scores): boolean[] => scores.items.map((value) => value === 1);
    const { onlyFirst, onlySecond, pValue } = mcnemar(right(first), right(second));
    const isSure = pValue <= maxPValue;
    const better = !isSure || lead === 0 ? 'neither' : lead > 0 ? 'first' : 'second';
    const because = `of ${deltas.length} rows ${onlyFirst} only the first got right and ${onlySecond} only the second; exact McNemar p = ${pValue.toPrecision(3)}`;
    return { better, test: 'mcnemar', pValue, difference, because };
  }
  const isSure = deltas.length >= minItems && (difference.low > 0 || difference.high < 0);
  const better = !isSure ? 'neither' : lead > 0 ? 'first' : 'second';
  const because = `${first.measure} differs by ${difference.value.toPrecision(4)} (95 % interval ${difference.low.toPrecision(4)} to ${difference.high.toPrecision(4)}, paired bootstrap over ${deltas.length} parts)`;
  return { better, test: 'paired bootstrap', pValue: null, difference, because };
}
