import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Durability } from './contender.ts';

const minPairs = 5;
const maxPairs = 100;
const pairSeconds = 8;

export interface Beside {
  /** Who ours is compared with. */
  readonly other: string;
  readonly scenario: string;
  readonly durability: Durability;
}

/**
 * How many times as fast as the other ours is: both are warm in processes of their own and take turns of a
 * fraction of a second, and the median of the ratios of neighbours counts. The speed of a machine that is
 * shared, and what a sync of its disk takes, change several times over within seconds, and so meet both.
 */
export async function besideOther({ other, scenario, durability }: Beside): Promise<number> {
  const children = [other, 'tutti'].map((name) => {
    const script = join(import.meta.dirname, 'measure.ts');
    return fork(script, [name, scenario, durability]);
  });
  const [theirs, ours] = children;
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const ratios: number[] = [];
    const endMs = performance.now() + pairSeconds * 1_000;
    while (ratios.length < maxPairs && (ratios.length < minPairs || performance.now() < endMs)) {
      ratios.push((await turnOf(theirs)) / (await turnOf(ours)));
    }
    return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

/** The seconds it took for the scenario. */
async function turnOf(child: ChildProcess | undefined): Promise<number> {
  if (!child) return Number.NaN;
  const answered = once(child, 'message');
  child.send('turn');
  const [seconds] = await answered;
  return Number(seconds);
}
