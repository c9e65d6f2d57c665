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
    await Promise.all(children.map(messageOf));
    const turns: number[][] = [];
    const endMs = performance.now() + turnsSeconds * 1_000;
    while (turns.length < maxTurns && (turns.length < minTurns || performance.now() < endMs)) {
      const turn: number[] = [];
      // Every other turn goes backwards, so that nobody always comes after the same one.
      const order = [...children.entries()];
      for (const [place, child] of turns.length % 2 === 0 ? order : order.toReversed()) {
        turn[place] = await turnOf(child);
      }
      turns.push(turn);
    }
    return works.map((_, place) => turns.map((turn) => turn[place] ?? Number.NaN));
  } finally {
    // The next ones are not to be measured while these shut their databases.
    await Promise.all(children.map(ended));
  }
}

async function turnOf(child: ChildProcess): Promise<number> {
  const answered = messageOf(child);
  child.send('turn');
  return Number(await answered);
}

/** Throws when it ended instead. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(() => {
        throw new Error(`${child.spawnargs.slice(2).join(' ')} ended in the middle`);
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exit;
}

/** How many times as fast as the contender ours is: the median of the ratios of neighbours. */
export async function besideOther(other: Work): Promise<number> {
  const [theirs = [], ours = []] = await inTurns([other, { ...other, contender: 'tutti' }]);
  return medianOf(theirs.map((seconds, turn) => seconds / (ours[turn] ?? Number.NaN)));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
