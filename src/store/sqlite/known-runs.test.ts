import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aDirectory } from '../../observe/testing/a-directory.ts';
import type { Claim, RunChange } from '../../workflow/engine/index.ts';
import { aNewRun, anOwner } from '../../workflow/testing/a-run.ts';
import { aRunStore } from '../testing/a-run-store.ts';
import type { RunStoreOptions } from './run-leases.ts';
import type { SqliteRunStore } from './sqlite-run-store.ts';

/** Two processes' stores on one file, and what ends the syncs the first has begun. */
function twoStores(options: Partial<RunStoreOptions> = {}): {
  store: SqliteRunStore;
  other: SqliteRunStore;
  finishSyncs: () => void;
} {
  const path = join(aDirectory(), 'tutti.db');
  const syncs: (() => void)[] = [];
  const syncFileLater = (): Promise<void> => new Promise((resolve) => void syncs.push(resolve));
  return {
    store: aRunStore(path, { ...options, syncFileLater }),
    other: aRunStore(path, options),
    finishSyncs: () => syncs.splice(0).forEach((finish) => finish()),
  };
}

async function aClaimedRun(store: SqliteRunStore): Promise<Claim> {
  await store.create(aNewRun({ durability: 'normal' }));
  const [claim] = await store.claimAll(['run1'], anOwner());
  if (!claim) throw new Error('it is free');
  return claim;
}

function anEnd({ fresh: record, ...lease }: Claim): RunChange {
  const entries = [{ kind: 'settled', key: 'a#1', value: 1 }] as const;
  const end = { lease, entries, place: 0, status: 'succeeded', outcome: 1 } as const;
  return record ? { ...end, record } : end;
}

describe('what a run store knows without reading', () => {
  it('is of a run that was just taken on what its row says, and of one that goes on otherwise, too', async () => {
    const { store, other } = twoStores();
    const { fresh: _fresh, ...lease } = await aClaimedRun(store);
    const summary = await store.summary(localCaller, 'run1');
    expect(summary).toMatchObject({ status: 'running' });
    expect(summary).toEqual(await other.summary(localCaller, 'run1'));
    await store.commit([{ lease, entries: [], status: 'waiting' }], 'normal');
    expect(await store.summary(localCaller, 'run1')).toMatchObject({ status: 'waiting' });
  });

  it('is not that it runs when it waits, though nobody had asked before', async () => {
    const { store } = twoStores();
    const { fresh: _fresh, ...lease } = await aClaimedRun(store);
    await store.commit([{ lease, entries: [], status: 'waiting' }], 'normal');
    expect(await store.summary(localCaller, 'run1')).toMatchObject({ status: 'waiting' });
  });

  it('is not that it runs when others took it on after its lease was over', async () => {
    for (const finding of ['renewing', 'committing']) {
      const clock = { nowMs: 1, now: () => clock.nowMs };
      const { store, other } = twoStores({ clock });
      const claim = await aClaimedRun(store);
      const { fresh: _fresh, ...lease } = claim;
      clock.nowMs += 60_000;
      const theirs = await other.claim('run1', anOwner({ id: 'owner2' }));
      if (!theirs) throw new Error('it is free');
      await other.commit([anEnd(theirs)], 'normal');
      if (finding === 'renewing') expect(await store.renew([lease])).toEqual([]);
      else expect(await store.commit([anEnd(claim)], 'normal')).toEqual({ lost: ['run1'] });
      expect(await store.summary(localCaller, 'run1')).toMatchObject({ status: 'succeeded' });
    }
  });

  it.each(['normal', 'soon'] as const)(
    'is of a run that just ended (%s) what others read',
    async (durability) => {
      const { store, other, finishSyncs } = twoStores();
      await store.commit([anEnd(await aClaimedRun(store))], durability);
      const reading = [store.findWhole(localCaller, 'run1'), store.summary(localCaller, 'run1')];
      finishSyncs();
      expect(await Promise.all(reading)).toEqual([
        await other.findWhole(localCaller, 'run1'),
        await other.summary(localCaller, 'run1'),
      ]);
      expect(await store.summary({ id: 'stranger' }, 'run1')).toBeUndefined();
    },
  );

  it('is nothing of an end that others took back before the disk had it', async () => {
    const { store, other, finishSyncs } = twoStores();
    await store.commit([anEnd(await aClaimedRun(store))], 'soon');
    await other.amend('run1', { entries: [], status: 'queued' });
    const reading = [store.findWhole(localCaller, 'run1'), store.summary(localCaller, 'run1')];
    finishSyncs();
    const [whole, summary] = await Promise.all(reading);
    expect(whole).toMatchObject({ record: { status: 'queued', endedAt: null } });
    expect(summary).toMatchObject({ status: 'queued', endedAt: null });
  });

  it('is nothing of an end that others took back, though an earlier one was looked at', async () => {
    const { store, other, finishSyncs } = twoStores();
    await store.commit([anEnd(await aClaimedRun(store))], 'soon');
    const looking = store.summary(localCaller, 'run1');
    finishSyncs();
    expect(await looking).toMatchObject({ status: 'succeeded' });
    await turnOfLoop();
    await store.amend('run1', { entries: [], status: 'queued' });
    const lease = await store.claim('run1', anOwner());
    if (!lease) throw new Error('it is free');
    const record = await store.find(null, 'run1');
    if (!record) throw new Error('it is there');
    await store.commit([{ ...anEnd(lease), place: 1, record }], 'soon');
    await other.amend('run1', { entries: [], status: 'queued' });
    const again = store.summary(localCaller, 'run1');
    finishSyncs();
    expect(await again).toMatchObject({ status: 'queued' });
  });

  it('is nothing of an end that this process took back before the disk had it', async () => {
    const { store, finishSyncs } = twoStores();
    await store.commit([anEnd(await aClaimedRun(store))], 'soon');
    const amending = store.amend('run1', { entries: [], status: 'queued' });
    const reading = store.findWhole(localCaller, 'run1');
    finishSyncs();
    await amending;
    expect(await reading).toMatchObject({ record: { status: 'queued', endedAt: null } });
  });
});

describe('a run that is taken on as it is stored', () => {
  it("is its owner's from the beginning, as if that had claimed it", async () => {
    const { store, other } = twoStores();
    let claim: Claim | undefined;
    await store.create(aNewRun({ durability: 'normal', input: { a: 1 } }), {
      owner: anOwner(),
      onStored: (_runId, taken) => (claim = taken),
    });
    expect(claim).toMatchObject({ runId: 'run1', epoch: 1 });
    expect(claim?.fresh).toEqual(await other.find(null, 'run1'));
    expect(claim?.fresh).toMatchObject({ status: 'running', input: { a: 1 } });
    expect(await other.claim('run1', anOwner({ id: 'owner2' }))).toBeUndefined();
    if (!claim) throw new Error('It was taken on');
    expect(await store.commit([anEnd(claim)], 'normal')).toEqual({ lost: [] });
    expect(await other.summary(localCaller, 'run1')).toMatchObject({ status: 'succeeded' });
  });

  it('is read by its owner where it takes over from another', async () => {
    const { store, other } = twoStores();
    const claims: (Claim | undefined)[] = [];
    await store.create(
      aNewRun({ durability: 'normal', journal: [{ kind: 'due', key: 'a', atMs: 1 }] }),
      { owner: anOwner(), onStored: (_runId, claim) => void claims.push(claim) },
    );
    expect(claims).toMatchObject([{ runId: 'run1', epoch: 1 }]);
    expect(claims[0]?.fresh).toBeUndefined();
    expect(await other.find(null, 'run1')).toMatchObject({ status: 'running' });
  });

  it("is nobody's new run when it was started before", async () => {
    const { store } = twoStores();
    const stored: string[] = [];
    const begin = { owner: anOwner(), onStored: (runId: string) => void stored.push(runId) };
    const same = { durability: 'normal', idempotencyKey: 'once' } as const;
    await store.create(aNewRun({ ...same, runId: 'first' }), begin);
    expect(await store.create(aNewRun({ ...same, runId: 'second' }), begin)).toEqual({
      runId: 'first',
      isNew: false,
    });
    expect(stored).toEqual(['first']);
  });

  it('is free once its owner is dead', async () => {
    const { store, other } = twoStores({ isGone: async ({ pid }) => pid === 4_711 });
    await store.create(aNewRun({ durability: 'normal' }), { owner: anOwner(), onStored: () => {} });
    expect(await other.unclaimed('embedded', 10)).toEqual(['run1']);
    expect(await other.claim('run1', anOwner({ pid: 1, id: 'owner2' }))).toMatchObject({
      epoch: 2,
    });
  });
});
