import type { Scores } from './score-model.ts';

/** Statistics for two models on the same test set. Everything is computed from a seed: the same scores, the same answer. */

const resamples = 2_000;
const confidence = 0.95;

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Percentile bootstrap of a weighted mean. */
export function bootstrapMean(
  values: readonly number[],
  weights: readonly number[] = values.map(() => 1),
): Interval {
  const random = seededRandom(values.length);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    let total = 0;
    for (let at = 0; at < values.length; at += 1) {
      const drawn = Math.floor(random() * values.length);
      const weight = weights[drawn] ?? 0;
      sum += (values[drawn] ?? 0) * weight;
      total += weight;
    }
    return sum / (total || 1);
  }).sort((a, b) => a - b);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const value = values.reduce((sum, one, at) => sum + one * (weights[at] ?? 0), 0) / total;
  const edge = (1 - confidence) / 2;
  return { value, low: at(means, edge), high: at(means, 1 - edge) };
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))] ?? NaN;

export interface McNemar {
  /** Rows that only the first got right, and only the second. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Two-sided, exact. */
  readonly pValue: number;
}

/** Exact McNemar test on rows that were right or wrong. */
export function mcnemar(first: readonly boolean[], second: readonly boolean[]): McNemar {
  const onlyFirst = first.filter((isRight, row) => isRight && second[row] === false).length;
  const onlySecond = first.filter((isRight, row) => !isRight && second[row] === true).length;
  const count = onlyFirst + onlySecond;
  const least = Math.min(onlyFirst, onlySecond);
  let tail = 0;
  for (let k = 0; k <= least; k += 1) tail += Math.exp(logChoose(count, k) - count * Math.LN2);
  return { onlyFirst, onlySecond, pValue: Math.min(1, 2 * tail) };
}

function logChoose(count: number, picked: number): number {
  let sum = 0;
  for (let k = 1; k <= picked; k += 1) sum += Math.log((count - picked + k) / k);
  return sum;
}

/** Mulberry32: small, and good enough to draw rows. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** With at most this chance of a difference by accident a model counts as better. */
const maxPValue = 0.05;
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
