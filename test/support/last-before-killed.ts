import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';

/**
 * The last number a process printed, one a line; it is killed when it prints `killAfter`. Fails when it
 * ended in another way than by SIGKILL.
 */
export async function lastBeforeKilled(child: ChildProcess, killAfter: number): Promise<number> {
  const closed = once(child, 'close');
  let last = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    last = Number(line);
    if (last === killAfter) child.kill('SIGKILL');
  }
  expect(await closed).toEqual([null, 'SIGKILL']);
  return last;
}
