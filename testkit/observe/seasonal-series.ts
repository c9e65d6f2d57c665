/** A month of hourly values: a daily and a weekly rhythm, a slow trend, and noise. */
export interface SeasonalSeries {
  readonly startMs: number;
  readonly values: readonly number[];
  /** Median absolute deviation of the noise. */
  readonly mad: number;
}

const hoursPerMonth = 30 * 24;
/** Of a normal distribution with deviation 1. */
const madOfNormal = 0.6745;

export function seasonalSeries(seed: number): SeasonalSeries {
  const random = randomOf(seed);
  const level = 10 * 10 ** (2 * random());
  const deviation = level * (0.03 + 0.12 * random());
  const daily = level * (0.1 + 0.6 * random());
  const peakHour = 24 * random();
  const weekend = 0.3 + 0.7 * random();
  const trend = (level * 0.02 * (random() - 0.5)) / hoursPerMonth;
  const values = Array.from({ length: hoursPerMonth }, (_, hour) => {
    const isWeekend = Math.floor(hour / 24) % 7 >= 5;
    const rhythm = daily * Math.cos((2 * Math.PI * (hour - peakHour)) / 24);
    const base = (level + rhythm) * (isWeekend ? weekend : 1) + trend * hour;
    const normal = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    return base + deviation * normal;
  });
  // A Monday.
  return { startMs: Date.UTC(2026, 0, 5), values, mad: deviation * madOfNormal };
}

/** Mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_769;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
