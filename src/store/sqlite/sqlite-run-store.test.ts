import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ArtifactMaker } from '../../artifacts/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { anApprovalRow, anEffectRow } from '../../../testkit/workflow/effects/rows.ts';
import { testRunStore } from '../../workflow/engine/run-store.suite.ts';
import { aNewRun, anOwner, claimOne } from '../../../testkit/workflow/a-run.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { aRunStore } from '../../../testkit/store/a-run-store.ts';

function aPath(): string {
  return join(aDirectory(), 'tutti.db');
}

function aMaker(runId: string): ArtifactMaker {
  const createdAt = new Date(0).toISOString();
  return {
    id: `sha256:${'0'.repeat(64)}`,
    bytes: 1,
    mediaType: 'text/plain',
    callerId: localCaller.id,
    lineage: { runId, step: 'a', tool: null, argumentsDigest: null, inputs: [], createdAt },
  };
}

describe('the run store in SQLite', () => {
  testRunStore((parts) => {
    const path = aPath();
    return [aRunStore(path, parts), aRunStore(path, parts)];
  });

  it('removes with a run all that is kept because of it, as one', async () => {
    const home = aDirectory();
    const store = aStore({ home });
    for (const runId of ['run1', 'run2']) {
      await store.runs.create(aNewRun({ runId }));
      await store.effects.change({ runId, step: 'pay', durability: 'normal' }, () => ({
        effect: anEffectRow({ runId }),
        approval: anApprovalRow({ runId, approvalId: `of ${runId}` }),
        result: null,
      }));
      await store.artifactIndex.add(aMaker(runId), () => true);
    }
    const [lease] = await store.runs.claim(['run1'], anOwner());
    if (!lease) throw new Error('run1 is somebody else\u2019s');
    await store.runs.commit([{ lease, entries: [], status: 'failed', outcome: 1 }], 'normal');
    expect(await store.runs.prune(Date.now() + 60_000, 10)).toHaveLength(1);
    const left = async (runId: string): Promise<readonly number[]> => [
      (await store.effects.effects(runId)).length,
      (await store.effects.approvals(runId)).length,
      (await store.artifactIndex.recent(localCaller, { runId, limit: 9 })).length,
    ];
    expect(await left('run1')).toEqual([0, 0, 0]);
    expect(await left('run2')).toEqual([1, 1, 1]);
  });

  it('makes a fork a maker of what the run made that it takes over from, as it is created', async () => {
    const store = aStore();
    await store.runs.create(aNewRun());
    await store.artifactIndex.add(aMaker('run1'), () => true);
    await store.runs.create(aNewRun({ runId: 'fork', forkedFrom: 'run1' }));
    await store.runs.create(aNewRun({ runId: 'stolen', forkedFrom: 'run1', callerId: 'other' }));
    const made = (id: string, runId: string): Promise<readonly string[]> =>
      store.artifactIndex.recent({ id }, { runId, limit: 9 });
    expect(await made(localCaller.id, 'fork')).toHaveLength(1);
    expect(await made('other', 'stolen')).toEqual([]);
  });

  it('can execute a new run before the disk has it, and says that it is kept afterwards', async () => {
    const path = aPath();
    const events: string[] = [];
    let finish = (): void => {};
    const store = aRunStore(path, {
      syncFileLater: async () => {
        events.push('sync');
        await new Promise<void>((resolve) => (finish = resolve));
      },
    });
    const other = aRunStore(path);
    const { promise: stored, resolve: onStored } = Promise.withResolvers<string>();
    const created = store.create(aNewRun(), onStored).then(() => events.push('kept'));
    expect(await claimOne(other, await stored)).toMatchObject({ runId: 'run1' });
    events.push('claimed');
    finish();
    await created;
    expect(events).toEqual(['sync', 'claimed', 'kept']);
  });

  it('tells nobody of an end that is committed before the disk has it', async () => {
    const syncs: (() => void)[] = [];
    const store = aRunStore(aPath(), {
      syncFileLater: () => new Promise((resolve) => void syncs.push(resolve)),
    });
    await store.create(aNewRun({ durability: 'normal' }));
    const lease = await claimOne(store, 'run1');
    if (!lease) throw new Error('it is free');
    const told: string[] = [];
    const look = (name: string, looking: Promise<unknown>): Promise<unknown> =>
      looking.then(() => told.push(name));
    await store.commit([{ lease, entries: [] }], 'soon');
    await look('running', store.summary(localCaller, 'run1'));
    await store.commit([{ lease, entries: [], status: 'succeeded', outcome: 1 }], 'soon');
    const looks = [
      look('whole', store.findWhole(localCaller, 'run1')),
      look('summary', store.summary(localCaller, 'run')),
      look('found', store.find(localCaller, 'run1')),
      look('listed', store.list(localCaller, { limit: 1 })),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['running']);
    for (const finish of syncs) finish();
    await Promise.all(looks);
    expect(told.toSorted()).toEqual(['found', 'listed', 'running', 'summary', 'whole']);
    expect(await store.summary(localCaller, 'run1')).toMatchObject({ status: 'succeeded' });
  });

  it('keeps what one commit adds to a run in one row', async () => {
    const path = aPath();
    const store = aRunStore(path);
    await store.create(aNewRun());
    const lease = (await claimOne(store, 'run1'))!;
    const entries = [1, 2, 3].map((n) => ({ kind: 'settled', key: `s#${n}`, value: n }) as const);
    await store.commit([{ lease, entries }], 'normal');
    const raw = new DatabaseSync(path);
    expect(raw.prepare('SELECT place % 268435456 AS first, count FROM run_journal').all()).toEqual([
      { first: 0, count: 3 },
    ]);
    raw.close();
  });

  it.each([
    "'{'",
    `'{"kind":"settled"}'`,
    `'[{"kind":"odd"}]'`,
    `'[7]'`,
    `'[{"kind":"due","key":1}]'`,
  ])('says that the database is damaged where a part of a journal is %s', async (text) => {
    const path = aPath();
    const store = aRunStore(path);
    await store.create(aNewRun({ journal: [{ kind: 'due', key: 'a', atMs: 1 }] }));
    const raw = new DatabaseSync(path);
    raw.exec(`UPDATE run_journal SET entries = ${text}`);
    raw.close();
    await expect(store.journal('run1')).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  it('counts the time of a lease from when it was written, however long that had to wait', async () => {
    const path = aPath();
    const clock = { nowMs: 1_000 };
    const store = aRunStore(path, { clock: { now: () => clock.nowMs } });
    await store.create(aNewRun());
    const raw = new DatabaseSync(path);
    raw.exec('BEGIN IMMEDIATE');
    const waiting = claimOne(store, 'run1', anOwner({ leaseMs: 100 }));
    await new Promise((resolve) => setImmediate(resolve));
    clock.nowMs = 5_000;
    raw.exec('COMMIT');
    raw.close();
    expect(await waiting).toMatchObject({ untilMs: 5_100 });
  });

  it('waits for another process without stopping this one, and then says that it is busy', async () => {
    const path = aPath();
    const store = aRunStore(path);
    await store.create(aNewRun());
    const raw = new DatabaseSync(path);
    raw.exec('BEGIN IMMEDIATE');
    await expect(store.request('run1', 'pause')).rejects.toMatchObject({ code: 'store.busy' });
    const waiting = store.request('run1', 'pause');
    raw.exec('COMMIT');
    await waiting;
    expect(await store.find(null, 'run1')).toMatchObject({ request: 'pause' });
    raw.close();
  });
});
