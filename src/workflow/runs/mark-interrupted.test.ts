import { expect, it } from 'vitest';
import type { RunSummary } from '../../contract/run/index.ts';
import { markInterrupted } from './find-run.ts';

const run = (runId: string, parts: Partial<RunSummary> = {}): RunSummary => ({
  runId,
  name: null,
  goal: null,
  status: 'running',
  engine: 'embedded',
  createdAt: '',
  startedAt: null,
  endedAt: null,
  forkedFrom: null,
  ...parts,
});

it('marks runs that were begun and that nobody executes', async () => {
  const asked: unknown[] = [];
  const store = {
    unclaimed: async (...wanted: readonly unknown[]) => {
      asked.push(wanted);
      return ['left', 'new', 'far'];
    },
  };
  const runs = [
    run('left'),
    run('alive'),
    run('new', { status: 'queued' }),
    run('far', { engine: 'restate' }),
  ];
  const marked = await markInterrupted(store, runs);
  expect(marked.map(({ isInterrupted }) => isInterrupted)).toEqual([
    true,
    undefined,
    undefined,
    undefined,
  ]);
  expect(asked).toEqual([['embedded', 1_000, 'anywhere']]);
  await markInterrupted(store, [run('done', { status: 'succeeded' })]);
  expect(asked).toHaveLength(1);
});
