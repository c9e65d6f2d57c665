import { expect, it } from 'vitest';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { keepAlive } from './create-generation.ts';

it('repeats the last progress while work goes on, and stops with it', async () => {
  const told: ProgressUpdate[] = [];
  const pending = new Set<() => void>();
  const timers = {
    now: () => 0,
    after: (_delayMs: number, run: () => void) => {
      pending.add(run);
      return () => pending.delete(run);
    },
  };
  const tick = (): void => {
    const due = [...pending];
    pending.clear();
    for (const run of due) run();
  };
  const call = aCallContext({ progress: (update) => told.push(update) });
  const result = await keepAlive(timers, call, async ({ progress }) => {
    tick();
    progress({ progress: 1, message: 'half' });
    tick();
    return 'done';
  });
  tick();
  expect(result).toBe('done');
  expect(told).toEqual([
    { progress: 0 },
    { progress: 1, message: 'half' },
    { progress: 1, message: 'half' },
  ]);
});
