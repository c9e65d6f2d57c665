import { describe, expect, it } from 'vitest';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { MemoryDelegationStore } from '../../../testkit/agents/memory-delegation-store.ts';
import { SqlDelegationStore } from './sql-delegation-store.ts';
import type { DelegationRow, DelegationStore } from '../../agents/index.ts';

const row: DelegationRow = {
  callerId: 'local',
  key: 'k',
  attempt: 0,
  root: 'k',
  parentRun: 'parent',
  parentStep: 'step',
  agent: 'testing',
  version: '1.0.0',
  capability: 'tests.run',
  task: 'Run them',
  decision: { why: 'best', order: [{ agent: 'testing' }] },
  runId: null,
  sessionId: null,
  verdict: 'running',
  error: null,
  result: null,
  startedAtMs: 1_000,
  endedAtMs: null,
};

describe.each<[string, () => DelegationStore]>([
  ['in memory', () => new MemoryDelegationStore()],
  ...sqlWorlds.map(([name, aWorld]): [string, () => DelegationStore] => [
    `in ${name}`,
    () => new SqlDelegationStore(aWorld()().sql),
  ]),
])('delegations %s', (_kind, open) => {
  it('begin once, and change', async () => {
    const store = open();
    expect(await store.attempts('local', 'k')).toEqual([]);
    expect(await store.begin(row, 5)).toEqual(row);
    expect(await store.begin({ ...row, agent: 'other' }, 5)).toEqual(row);
    await store.change(row, { runId: 'r', verdict: 'done', result: { a: 1 }, endedAtMs: 3_000 });
    const ended = { ...row, runId: 'r', verdict: 'done', result: { a: 1 }, endedAtMs: 3_000 };
    expect(await store.attempts('local', 'k')).toEqual([ended]);
    expect(await store.ofRun('local', 'r')).toEqual([ended]);
    expect(await store.ofRun('local', 'parent')).toEqual([ended]);
    expect(await store.ofRun('stranger', 'r')).toEqual([]);
    expect(await store.tally('local')).toMatchObject([
      { agent: 'testing', done: 1, failed: 0, recent: 1 },
    ]);
  });

  it('are found by a change of files that they made, the agent that made it first', async () => {
    const store = open();
    const result = { changes: [{ step: 'a', id: 'c%_1', files: [] }], evidence: [{ id: 'other' }] };
    for (const [key, startedAtMs] of [
      ['outer', 1],
      ['inner', 2],
    ] as const) {
      await store.begin({ ...row, key, startedAtMs }, 5);
      await store.change({ ...row, key }, { result, verdict: 'done', endedAtMs: 3 });
    }
    expect(await store.ofChange('local', 'c%_1')).toMatchObject({ key: 'inner' });
    for (const [caller, id] of [
      ['local', 'other'],
      ['local', 'c%'],
      ['stranger', 'c%_1'],
    ] as const)
      expect(await store.ofChange(caller, id)).toBeUndefined();
  });

  it('that a caller got wrong or stopped count neither for nor against the agent', async () => {
    const store = open();
    for (const verdict of ['refused', 'cancelled', 'failed', 'done'] as const) {
      const one = { ...row, key: verdict };
      await store.begin(one, 9);
      await store.change(one, { verdict, endedAtMs: 3_000 });
    }
    expect(await store.tally('local')).toMatchObject([{ done: 1, failed: 1, recent: 0.5 }]);
  });

  it('are no more for one root than they may be, of several that begin at once', async () => {
    const store = open();
    const begun = await Promise.all(
      [1, 2, 3, 4].map((number) => store.begin({ ...row, key: `k${number}` }, 2)),
    );
    const kept = begun.filter((one) => one !== undefined);
    expect(kept).toHaveLength(2);
    for (const one of kept) expect(await store.begin(one, 2)).toEqual(one);
  });

  it('count what tasks use, for all of a chain or for none, and no more than there is of several at once', async () => {
    const store = open();
    const tasks = [
      { id: 'whole', limit: 5 },
      { id: 'part', limit: 3 },
    ];
    const asked = { unit: 'calls', tasks, nowMs: 1 } as const;
    const given = await Promise.all([1, 2, 3, 4, 5].map(() => store.use('local', asked)));
    expect(given.filter(Boolean)).toHaveLength(3);
    expect(await store.use('local', { ...asked, unit: 'rounds' })).toBe(true);
    expect(await store.used('local', ['part', 'whole', 'other'])).toEqual([
      { calls: 3, rounds: 1 },
      { calls: 3, rounds: 1 },
      { calls: 0, rounds: 0 },
    ]);
    expect(await store.used('stranger', ['part'])).toEqual([{ calls: 0, rounds: 0 }]);
    expect(await store.use('local', { ...asked, tasks: tasks.slice(0, 1) })).toBe(true);
    expect(await store.use('local', { ...asked, tasks: [{ id: 'free', limit: Infinity }] })).toBe(
      true,
    );
  });

  it('remember which agents are off', async () => {
    const store = open();
    await store.setDisabled('local', 'testing', true);
    await store.setDisabled('local', 'testing', true);
    expect(await store.disabled('local')).toEqual(['testing']);
    await store.setDisabled('local', 'testing', false);
    expect(await store.disabled('local')).toEqual([]);
  });
});
