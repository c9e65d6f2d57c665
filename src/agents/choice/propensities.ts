import type { Belief } from './beliefs.ts';

/** A candidate's utility: `offset + scale × success`, where success is uncertain. */
export interface Uncertain extends Belief {
  readonly offset: number;
  readonly scale: number;
}

const points = 64;
/** Standard deviations that count. */
const reach = 5;

/**
 * The chance of each candidate to be the best, by the trapezoid rule over the range where the best may lie.
 * Sums to 1.
 */
export function chancesToBeBest(candidates: readonly Uncertain[]): number[] {
  if (candidates.length === 1) return [1];
  const spans = candidates.map(spanOf);
  const low = Math.max(...spans.map((span) => span.low));
  const high = Math.max(...spans.map((span) => span.high));
  const step = (high - low) / points;
  if (!(step > 0)) return evenly(spans.map((span) => (span.high === high ? 1 : 0)));
  const densities = candidates.map((candidate) => densityOf(candidate, { low, step }));
  const below = densities.map(massBelow(step));
  const chances = new Float64Array(candidates.length);
  for (let point = 0; point < points; point += 1) {
    // Times the mass below of those before, then of those after: not once more for each pair.
    let [before, after] = [1, 1];
    const others = below.map((mass) => {
      const product = before;
      before *= mass[point] ?? 0;
      return product;
    });
    for (let index = candidates.length - 1; index >= 0; index -= 1) {
      const mass = densities[index]?.[point] ?? 0;
      chances[index] = (chances[index] ?? 0) + mass * (others[index] ?? 0) * after;
      after *= below[index]?.[point] ?? 0;
    }
  }
  return evenly([...chances]);
}

function spanOf({ alpha, beta, offset, scale }: Uncertain): { low: number; high: number } {
  const weight = alpha + beta;
  const mean = alpha / weight;
  const deviation = Math.sqrt((mean * (1 - mean)) / (weight + 1));
  return {
    low: offset + scale * Math.max(0, mean - reach * deviation),
    high: offset + scale * Math.min(1, mean + reach * deviation),
  };
}

interface Grid {
  readonly low: number;
  readonly step: number;
}

/** In the middle of each cell, per unit of utility. */
function densityOf(candidate: Uncertain, { low, step }: Grid): Float64Array {
  const { offset, scale } = candidate;
  const density = new Float64Array(points);
  // As wide as a cell at least, or it would fall between two points.
  const weight = candidate.alpha + candidate.beta;
  const spread = (candidate.alpha * candidate.beta) / (weight * weight);
  const factor = Math.min(1, (spread * (scale / step) ** 2) / weight);
  const [alpha, beta] = [candidate.alpha * factor, candidate.beta * factor];
  const constant = logGamma(alpha + beta) - logGamma(alpha) - logGamma(beta) - Math.log(scale);
  for (let point = 0; point < points; point += 1) {
    const success = (low + (point + 0.5) * step - offset) / scale;
    if (success <= 0 || success >= 1) continue;
    density[point] = Math.exp(
      constant + (alpha - 1) * Math.log(success) + (beta - 1) * Math.log(1 - success),
    );
  }
  return density;
}

/** Up to the middle of each cell: what is not above it. */
function massBelow(step: number): (density: Float64Array) => Float64Array {
  return (density) => {
    const below = new Float64Array(points);
    let above = 0;
    for (let point = points - 1; point >= 0; point -= 1) {
      const mass = (density[point] ?? 0) * step;
      below[point] = Math.max(0, 1 - above - mass / 2);
      above += mass;
    }
    return below;
  };
}

function evenly(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum > 0 ? weight / sum : 1 / weights.length));
}

const halfLogTwoPi = 0.918_938_533_204_672_7;

/** Stirling's series, shifted to where it is exact to ten digits. */
function logGamma(value: number): number {
  let shift = 0;
  let x = value;
  while (x < 8) {
    shift += Math.log(x);
    x += 1;
  }
  const inverse = 1 / (x * x);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + halfLogTwoPi + series - shift;
}
