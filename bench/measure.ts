import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** One comparison: what we do beside a named floor, measured in turns in the same run. */
export interface Comparison {
  readonly name: string;
  readonly floor: string;
  /** The ratio that must not be exceeded, infinite where none is promised; absolute limits use a floor of 1. */
  readonly limit: number;
  readonly unit: string;
  readonly ours: number;
  readonly base: number;
}

export type Work = () => Promise<void> | void;

/** Engines in WASM get faster over their first runs; what takes seconds is measured in a few rounds, and does not. */
const warmUpRounds = 8;

/**
 * Milliseconds of both in the round whose ratio is the median of all. Each round measures one right
 * after the other, in alternating order: how fast a shared machine is changes from second to second, and
 * medians taken of each alone may come from different seconds.
 */
export async function compare(ours: Work, base: Work, rounds: number): Promise<[number, number]> {
  for (let round = 0; round < Math.min(warmUpRounds, rounds); round += 1) {
    await ours();
    await base();
  }
  const measured: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const oursMs = await timed(ours);
      measured.push([oursMs, await timed(base)]);
    } else {
      const baseMs = await timed(base);
      measured.push([await timed(ours), baseMs]);
    }
  }
  measured.sort(([a, b], [c, d]) => a / b - c / d);
  return measured[Math.floor(rounds / 2)] ?? [Number.NaN, Number.NaN];
}

async function timed(work: Work): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export interface Usage {
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** The one whose CPU time is the median of all. */
export function medianUsage(measured: readonly Usage[]): Usage {
  const sorted = measured.toSorted((a, b) => a.cpuMs - b.cpuMs);
  return sorted[Math.floor(sorted.length / 2)] ?? { cpuMs: Number.NaN, peakMb: Number.NaN };
}

/** GNU time counts what Node's own numbers miss: the end of a process waits for background compilation. */
export function usageOf(args: readonly string[], cwd: string): Usage {
  const format = 'usage %U %S %M';
  const child = spawnSync('/usr/bin/time', ['-f', format, process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  const [, user, system, kilobytes] = /usage (\S+) (\S+) (\d+)/.exec(child.stderr ?? '') ?? [];
  if (child.status !== 0 || kilobytes === undefined) {
    throw new Error(
      `${args.join(' ')} failed (GNU time is needed): ${child.error?.message ?? child.stderr}`,
    );
  }
  return { cpuMs: 1000 * (Number(user) + Number(system)), peakMb: Number(kilobytes) / 1024 };
}
