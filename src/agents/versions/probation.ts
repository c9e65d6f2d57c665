/** Outcomes of a version as numbers that are enough for a mean and its error. */
export interface Sample {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** Of the normal distribution: one in 33 lies above, so that with its error 95 of 100 bad versions fail. */
const quantile = 1.88;

export function sampleOf(values: readonly number[]): Sample {
  return {
    count: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  };
}

/**
 * The one look at the end of probation: a version passes when it is shown not to be worse by the margin. So one that
 * is worse by the margin fails in 95 of 100 cases whatever the rates are; how often an equal one fails follows from
 * the number of outcomes and cannot be chosen.
 */
export function passesProbation(current: Sample, candidate: Sample, margin: number): boolean {
  if (current.count === 0 || candidate.count === 0) return false;
  const difference = candidate.sum / candidate.count - current.sum / current.count;
  const error = Math.sqrt(squaredError(current) + squaredError(candidate));
  return difference + margin > quantile * error;
}

/** With half a success and half a failure more, so that a version that always succeeded has an error, too. */
function squaredError({ count, sum, squares }: Sample): number {
  const n = count + 1;
  const mean = (sum + 0.5) / n;
  return Math.max(0, (squares + 0.5) / n - mean * mean) / n;
}
