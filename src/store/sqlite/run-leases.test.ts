import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import type { Lease, RunChange } from '../../workflow/engine/index.ts';
import { aNewRun, anOwner, claimOne } from '../../../testkit/workflow/a-run.ts';
import { aRunStore } from '../../../testkit/store/a-run-store.ts';
import type { SqliteRunStore } from './sqlite-run-store.ts';

/** Two processes' stores on one file, and runs of the first to which it has written several times. */
async function written(count: number) {
  const path = join(aDirectory(), 'tutti.db');
  const clock = { nowMs: 1, now: () => clock.nowMs };
  const [store, other] = [aRunStore(path, { clock }), aRunStore(path, { clock })];
  const runIds = Array.from({ length: count }, (_, n) => `run${n + 1}`);
  for (const runId of runIds) await store.create(aNewRun({ runId }));
  const leases = await store.claim(runIds, anOwner());
  for (const place of [0, 1]) await write(store, leases, place);
  return { path, clock, store, other, leases };
}

function write(
  store: SqliteRunStore,
  leases: readonly Lease[],
  place: number,
): ReturnType<SqliteRunStore['commit']> {
  const changes = leases.map(({ runId, epoch, untilMs }): RunChange => ({
    lease: { runId, epoch, untilMs },
    entries: [{ kind: 'settled', key: `s${place}#1`, value: `${runId} ${place}` }],
  }));
  return store.commit(changes, 'normal');
}

const valuesOf = async (store: SqliteRunStore, runId: string): Promise<unknown[]> =>
  (await store.journal(runId)).map((entry) => entry.kind === 'settled' && entry.value);

describe('leases of runs that were written to before', () => {
  it.each([1, 2, 15, 16, 17, 40])(
    'get each its own when %i are written to together',
    async (count) => {
      const { store, other, leases } = await written(count);
      expect(await write(store, leases, 2)).toEqual({ lost: [] });
      for (const { runId } of leases) {
        const values = [0, 1, 2].map((place) => `${runId} ${place}`);
        expect(await valuesOf(other, runId)).toEqual(values);
      }
    },
  );

  it('are lost when another process took them meanwhile, and only those', async () => {
    const { clock, store, other, leases } = await written(3);
    clock.nowMs += 60_000;
    expect(await claimOne(other, 'run2', anOwner({ id: 'owner2' }))).toBeDefined();
    expect(await write(store, leases, 2)).toEqual({ lost: ['run2'] });
    expect(await valuesOf(other, 'run1')).toHaveLength(3);
    expect(await valuesOf(other, 'run2')).toHaveLength(2);
    expect(await write(store, leases.slice(1), 3)).toEqual({ lost: ['run2'] });
  });

  it.each([
    ['gave them back', (store: SqliteRunStore, lease: Lease) => store.release([{ lease }])],
    [
      'took them anew',
      (store: SqliteRunStore, { runId }: Lease) => store.claim([runId], anOwner({ id: 'again' })),
    ],
    [
      'changed them',
      (store: SqliteRunStore, { runId }: Lease) =>
        store.amend(runId, { entries: [], status: 'queued' }),
    ],
    [
      'ended them',
      (store: SqliteRunStore, lease: Lease) =>
        store.commit([{ lease, entries: [], status: 'failed', outcome: 1 }], 'normal'),
    ],
  ])('are lost when this process %s meanwhile', async (_what, act) => {
    const { clock, store, leases } = await written(3);
    const lease = leases[1];
    if (!lease) throw new Error('it is free');
    clock.nowMs += 60_000;
    await act(store, { runId: lease.runId, epoch: lease.epoch, untilMs: lease.untilMs });
    expect(await write(store, leases, 2)).toEqual({ lost: ['run2'] });
    expect(await valuesOf(store, 'run2')).toHaveLength(2);
  });

  it('have their own places however many runs there have been', async () => {
    const { path, store } = await written(1);
    const raw = new DatabaseSync(path);
    // Beyond this a place times its run is no longer exact as a floating point number.
    raw.exec(`UPDATE runs SET run_key = ${2 ** 27} WHERE run_id = 'run1'`);
    raw.exec('DELETE FROM run_journal');
    raw.close();
    for (const runId of ['next1', 'next2']) await store.create(aNewRun({ runId }));
    const leases = await store.claim(['next1', 'next2'], anOwner());
    for (const place of [0, 1, 2]) {
      for (const lease of leases) expect(await write(store, [lease], place)).toEqual({ lost: [] });
    }
    for (const place of [3, 4, 5]) {
      expect(await write(store, leases, place)).toEqual({ lost: [] });
    }
    expect(await valuesOf(store, 'next2')).toEqual([0, 1, 2, 3, 4, 5].map((n) => `next2 ${n}`));
  });
});
