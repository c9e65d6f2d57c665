import { describe, expect, it } from 'vitest';
import { aPostgresRunStore, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../../../testkit/store/shared-postgres.ts';
import { aNewRun, anOwner, claimOne } from '../../../testkit/workflow/a-run.ts';
import { testRunStore } from '../../workflow/engine/run-store.suite.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

async function twoStores() {
  const url = await createSharedDatabase('schema');
  return { url, store: await aPostgresRunStore({ url }), other: await aPostgresRunStore({ url }) };
}

describe.skipIf(postgresSkipReason !== null)(`the run store in PostgreSQL${why}`, () => {
  testRunStore(async (parts) => {
    const url = await createSharedDatabase('schema');
    const options = { ...parts, sharedClock: parts.clock, url };
    return [await aPostgresRunStore(options), await aPostgresRunStore(options)];
  });

  it('tells others about commits soon after', async () => {
    const { store, other } = await twoStores();
    await store.create(aNewRun());
    const lease = (await claimOne(store, 'run1'))!;
    const before = await other.revision();
    await store.commit([{ lease, entries: [{ kind: 'due', key: 'a', atMs: 1 }] }]);
    await expect.poll(() => other.revision()).not.toBe(before);
  });

  it('ends leases by the clock of the database, and tells each holder by its own', async () => {
    const { store, url } = await twoStores();
    const ahead = await aPostgresRunStore({ url, clock: { now: () => Date.now() + 30_000 } });
    await store.create(aNewRun());
    const lease = (await claimOne(store, 'run1', anOwner({ leaseMs: 60_000 })))!;
    expect(lease.untilMs - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await ahead.unclaimed('embedded', 9)).toEqual([]);
    expect(await claimOne(ahead, 'run1', anOwner({ id: 'owner2' }))).toBeUndefined();
    await store.release([{ lease, idle: { untilMs: Date.now() + 20_000, signals: 0 } }]);
    expect(await ahead.unclaimed('embedded', 9)).toEqual([]);
    const theirs = (await claimOne(ahead, 'run1', anOwner({ id: 'owner2', leaseMs: 60_000 })))!;
    expect(theirs.untilMs - Date.now()).toBeGreaterThan(80_000);
    expect(await claimOne(store, 'run1')).toBeUndefined();
  });

  it('shares many runs out among processes that claim them at once', async () => {
    const { store, other } = await twoStores();
    const runIds = Array.from({ length: 40 }, (_, n) => `run${n}`);
    await Promise.all(runIds.map((runId) => store.create(aNewRun({ runId }))));
    const claims = await Promise.all([
      store.claim(runIds, anOwner()),
      other.claim(runIds.toReversed(), anOwner({ id: 'owner2', pid: 2 })),
    ]);
    const claimed = claims.flat().map(({ runId }) => runId);
    expect(new Set(claimed).size).toBe(claimed.length);
    const rest = await store.claim(runIds, anOwner());
    expect(claimed.length + rest.length).toBe(40);
  });
});
