import type { HalsteadCounts } from './count-halstead.ts';

export interface MaintainabilityInput {
  readonly halstead: HalsteadCounts;
  readonly cyclomatic: number;
  readonly logicalLines: number;
  /** Comment lines for each hundred lines of code. */
  readonly commentPercent: number;
}

/**
 * radon's maintainability index, 0 (hard) to 100 (easy):
 * `171 − 5.2 ln V − 0.23 G − 16.2 ln L + 50 sin √(2.46 C)`, scaled by 100/171 and cut off, where
 * `V` is Halstead's volume, `G` cyclomatic complexity, `L` logical lines and `C` the comments in
 * percent taken as degrees.
 */
export function maintainabilityIndex(input: MaintainabilityInput): number {
  const volume = halsteadVolume(input.halstead);
  if (volume <= 0 || input.logicalLines <= 0) return 100;
  const radians = (input.commentPercent * Math.PI) / 180;
  const raw =
    171 -
    5.2 * Math.log(volume) -
    0.23 * input.cyclomatic -
    16.2 * Math.log(input.logicalLines) +
    50 * Math.sin(Math.sqrt(2.46 * radians));
  return Math.min(Math.max(0, (raw * 100) / 171), 100);
}

/** Length times the bits one symbol of the vocabulary takes. */
function halsteadVolume(counts: HalsteadCounts): number {
  const vocabulary = counts.distinctOperators + counts.distinctOperands;
  if (vocabulary === 0) return 0;
  return (counts.operators + counts.operands) * Math.log2(vocabulary);
}
