import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Durability } from './contender.ts';

const minTurns = 5;
const maxTurns = 100;
const turnsSeconds = 8;

export interface Work {
  readonly contender: string;
  readonly scenario: string;
  readonly durability: Durability;
}

/**
 * What each work took, in seconds, turn by turn: all are warm in processes of their own and take turns of a
 * fraction of a second. The speed of a machine that is shared, and what a sync of its disk takes, change
 * several times over within seconds, and so meet all of them.
 */
export async function inTurns(works: readonly Work[]): Promise<readonly (readonly number[])[]> {
  const children = works.map(({ contender, scenario, durability }) =>
    fork(join(import.meta.dirname, 'measure.ts'), [contender, scenario, durability]),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const turns: number[][] = [];
    const endMs = performance.now() + turnsSeconds * 1_000;
    while (turns.length < maxTurns && (turns.length < minTurns || performance.now() < endMs)) {
      const turn: number[] = [];
      for (const child of children) turn.push(await turnOf(child));
      turns.push(turn);
    }
    return works.map((_, place) => turns.map((turn) => turn[place] ?? Number.NaN));
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

async function turnOf(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message');
  child.send('turn');
  const [seconds] = await answered;
  return Number(seconds);
}

/** How many times as fast as the contender ours is: the median of the ratios of neighbours. */
export async function besideOther(other: Work): Promise<number> {
  const [theirs = [], ours = []] = await inTurns([other, { ...other, contender: 'tutti' }]);
  return medianOf(theirs.map((seconds, turn) => seconds / (ours[turn] ?? Number.NaN)));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
