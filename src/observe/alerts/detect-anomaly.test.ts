import { describe, expect, it } from 'vitest';
import { seasonalSeries } from '../../../testkit/observe/seasonal-series.ts';
import { AnomalyDetector } from './detect-anomaly.ts';

const hourMs = 3_600_000;
/** The whole proof takes 200; one setting for all. */
const series = process.env['TUTTI_PROOF'] ? 200 : 25;
const firstSeed = 5_001;
const seeds = Array.from({ length: series }, (_, at) => firstSeed + at);
/** What makes a median absolute deviation a standard deviation. */
const madToDeviation = 1.4826;

function alarmsOf(values: readonly number[], startMs: number): readonly number[] {
  const detector = new AnomalyDetector();
  let was = false;
  return values.flatMap((value, at) => {
    const { isUnusual } = detector.add(startMs + at * hourMs, value);
    const begins = isUnusual && !was;
    was = isUnusual;
    return begins ? [at] : [];
  });
}

function isFound(seed: number, shiftInDeviations: number): boolean {
  const { values, startMs, mad } = seasonalSeries(seed);
  const from = 400 + ((seed * 37) % 300);
  const shift = shiftInDeviations * mad * madToDeviation;
  const shifted = values.slice(0, from + 5).map((value, at) => value + (at < from ? 0 : shift));
  const detector = new AnomalyDetector();
  const verdicts = shifted.map((value, at) => detector.add(startMs + at * hourMs, value));
  return verdicts.slice(from).some(({ isUnusual }) => isUnusual);
}

describe('unusual hours of series with a daily and a weekly rhythm', () => {
  it('are at most one false alarm in a clean month', { timeout: 120_000 }, () => {
    const alarms = seeds.flatMap((seed) => {
      const { values, startMs } = seasonalSeries(seed);
      return alarmsOf(values, startMs);
    });
    expect(alarms.length / series).toBeLessThanOrEqual(1);
  });

  it('are found within five points of a shift of three deviations', { timeout: 120_000 }, () => {
    const found = seeds.filter((seed) => isFound(seed, 3)).length;
    expect(found / series).toBeGreaterThanOrEqual(0.95);
  });

  it('are none before enough days are known, and a constant series stays usual', () => {
    const detector = new AnomalyDetector();
    expect(detector.add(0, 1e9)).toEqual({ isUnusual: false, usual: null, score: 0 });
    const flat = Array.from({ length: 720 }, () => 0);
    expect(alarmsOf(flat, 0)).toEqual([]);
    expect(alarmsOf([...flat, 5], 0)).toEqual([720]);
  });
});
