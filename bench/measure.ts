import { performance } from 'node:perf_hooks';

/** One comparison: what we do beside a named floor, measured in turns in the same run. */
export interface Comparison {
  readonly name: string;
  readonly floor: string;
  /** The ratio that must not be exceeded; absolute limits use a floor of 1. */
  readonly limit: number;
  readonly unit: string;
  readonly ours: number;
  readonly base: number;
}

export type Work = () => Promise<void> | void;

/** Engines in WASM get faster over their first runs. */
const warmUpRounds = 8;

/**
 * Medians of `rounds` measurements of both, in milliseconds, taken in turns so that a busy moment of
 * the machine meets both alike.
 */
export async function compare(ours: Work, base: Work, rounds: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < warmUpRounds; round += 1) {
    await ours();
    await base();
  }
  for (let round = 0; round < rounds; round += 1) {
    times[0].push(await timed(ours));
    times[1].push(await timed(base));
  }
  return [median(times[0]), median(times[1])];
}

async function timed(work: Work): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
