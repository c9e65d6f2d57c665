import { medianOf } from '../explain/usual-times.ts';

/*
 * What is usual at this hour is the median of the same hour on earlier days of the same class (working day, weekend);
 * what differs from it is measured in units of the median absolute deviation of all such differences. A shift is
 * found by the mean of the latest differences: over five points a small shift stands out that no single point shows.
 */

/** One setting for all series. */
export const anomalyLimits = {
  /** Points kept: six weeks by the hour. */
  maxPoints: 1_008,
  /** Days of the same class that must be known before anything is called unusual. */
  minDays: 4,
  /** Earlier days that are compared. */
  maxDays: 20,
  /** Points whose mean is compared, and from how many standard errors on it is unusual. */
  windows: [
    { points: 1, threshold: 6 },
    { points: 3, threshold: 4.4 },
    { points: 5, threshold: 3.5 },
  ],
  /** It is over when the mean of the longest window is below this. */
  clearThreshold: 2,
  /** Smaller differences than this part of the usual value are of no use to a person, however unusual. */
  minRelativeChange: 0.05,
} as const;

const hourMs = 3_600_000;
/** A median absolute deviation as a standard deviation, for what is distributed normally. */
const madToDeviation = 1.4826;
/** A median of n values varies by so much more than their mean. */
const medianVariance = Math.PI / 2;

export interface AnomalyVerdict {
  readonly isUnusual: boolean;
  /** Null while too little is known. */
  readonly usual: number | null;
  /** Standard errors, with sign; of the window in which it stands out most. */
  readonly score: number;
}

export interface AnomalyPoint {
  readonly atMs: number;
  readonly value: number;
  /** Difference from what was usual then, with the part of its variance that is due to how little was known. */
  readonly residual?: number | undefined;
  readonly inflation: number;
}

/** Watches one series of hourly values. */
export class AnomalyDetector {
  #points: AnomalyPoint[] = [];
  #isUnusual = false;

  /** Oldest first; enough to go on with in another process. */
  get points(): readonly AnomalyPoint[] {
    return this.#points;
  }

  restore(points: readonly AnomalyPoint[], nowMs: number): void {
    const oldestMs = nowMs - anomalyLimits.maxPoints * hourMs;
    this.#points = points
      .filter(({ atMs }) => atMs >= oldestMs && atMs < nowMs)
      .slice(-anomalyLimits.maxPoints);
  }

  add(atMs: number, value: number): AnomalyVerdict {
    const slot = slotOf(atMs);
    // While it is unusual it is not what later values are compared with.
    const days = this.#points
      .filter((point) => slotOf(point.atMs) === slot)
      .slice(-anomalyLimits.maxDays);
    const isKnown = days.length >= anomalyLimits.minDays;
    const usual = isKnown ? medianOf(days.map((point) => point.value)) : undefined;
    const point: AnomalyPoint = {
      atMs,
      value,
      residual: usual === undefined ? undefined : value - usual,
      inflation: isKnown ? 1 + medianVariance / days.length : 1,
    };
    this.#points.push(point);
    if (this.#points.length > anomalyLimits.maxPoints) this.#points.shift();
    if (usual === undefined) return { isUnusual: false, usual: null, score: 0 };
    const scores = this.#scores(usual);
    const score = scores.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    const isOver = anomalyLimits.windows.some(
      ({ threshold }, at) => Math.abs(scores[at] ?? 0) >= threshold,
    );
    const last = Math.abs(scores.at(-1) ?? 0);
    this.#isUnusual = isOver || (this.#isUnusual && last >= anomalyLimits.clearThreshold);
    return { isUnusual: this.#isUnusual, usual, score };
  }

  #scores(usual: number): readonly number[] {
    const known = this.#points.filter(({ residual }) => residual !== undefined);
    const residuals = known.map(({ residual = 0, inflation }) => residual / Math.sqrt(inflation));
    const deviation = medianOf(residuals.map(Math.abs)) * madToDeviation;
    const floor = Math.abs(usual) * anomalyLimits.minRelativeChange;
    const unit = Math.max(deviation, floor, Number.MIN_VALUE);
    return anomalyLimits.windows.map(({ points }) => {
      const latest = residuals.slice(-points);
      if (latest.length < points) return 0;
      return latest.reduce((sum, one) => sum + one, 0) / unit / Math.sqrt(points);
    });
  }
}

/** The hour of the day, apart for working days and weekends. */
function slotOf(atMs: number): number {
  const at = new Date(Math.floor(atMs / hourMs) * hourMs);
  const day = at.getUTCDay();
  return at.getUTCHours() + (day === 0 || day === 6 ? 24 : 0);
}
