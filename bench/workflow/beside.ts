import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Durability } from './contender.ts';

const minPairs = 5;
const maxPairs = 100;
const pairSeconds = 6;

export interface Beside {
  readonly scenario: string;
  readonly durability: Durability;
}

/**
 * How many times as fast as the floor ours is: both are warm in processes of their own and do the scenario
 * in turns, a fraction of a second each, and the median of the ratios of neighbours counts. What a sync of
 * the disk takes changes several times over within seconds, and so meets both.
 */
export async function besideFloor({ scenario, durability }: Beside): Promise<number> {
  const children = ['floor', 'tutti'].map((name) => {
    const script = join(import.meta.dirname, 'measure.ts');
    return fork(script, [name, scenario, durability]);
  });
  const [floor, tutti] = children;
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const ratios: number[] = [];
    const endMs = performance.now() + pairSeconds * 1_000;
    while (ratios.length < maxPairs && (ratios.length < minPairs || performance.now() < endMs)) {
      ratios.push((await roundOf(floor)) / (await roundOf(tutti)));
    }
    return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

async function roundOf(child: ChildProcess | undefined): Promise<number> {
  if (!child) return Number.NaN;
  const answered = once(child, 'message');
  child.send('round');
  const [seconds] = await answered;
  return Number(seconds);
}
