import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { Clock, ProcessIdentity } from '../../kernel/index.ts';
import { aNewRun, anOwner, claimOne } from '../../../testkit/workflow/a-run.ts';
import { settled, testAmending } from './run-amending.suite.ts';
import type { Lease, NewRunRecord, RunStore } from './run-store.ts';
import { testWholeRuns } from './whole-runs.suite.ts';

export interface RunStoreParts {
  readonly clock: Clock;
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
  readonly place?: () => Promise<string>;
}

/** Gives an empty store, twice: as two processes have it open. */
export type CreateRunStores = (
  parts: RunStoreParts,
) => readonly [RunStore, RunStore] | Promise<readonly [RunStore, RunStore]>;

const stranger = { id: 'stranger' };

interface Scene {
  readonly store: RunStore;
  readonly other: RunStore;
  readonly clock: { nowMs: number };
  readonly gone: Set<number>;
}

/** What every store of runs promises. */
export function testRunStore(create: CreateRunStores): void {
  async function aScene(place?: string): Promise<Scene> {
    const clock = { nowMs: 10_000 };
    const gone = new Set<number>();
    const [store, other] = await create({
      clock: { now: () => clock.nowMs },
      isGone: async ({ pid }) => gone.has(pid),
      ...(place === undefined ? undefined : { place: async () => place }),
    });
    return { store, other, clock, gone };
  }

  async function aClaimed(parts: Partial<NewRunRecord> = {}): Promise<Scene & { lease: Lease }> {
    const scene = await aScene();
    const { runId } = await scene.store.create(aNewRun(parts));
    return { ...scene, lease: await claimed(scene.store, runId) };
  }

  describe('keeping runs', () => {
    it('gives back a run as it was stored, with what a fork takes over', async () => {
      const { store } = await aScene();
      const run = aNewRun({
        plan: {
          version: 1,
          name: 'n',
          goal: 'g',
          steps: [{ id: 'a', tool: 'x.y', args: { t: 'ü\u0000"' } }],
        },
        input: { deep: [{ a: null }] },
        meta: { traceparent: '00-1' },
        deadlineMs: 99_000,
        forkedFrom: 'run0',
        journal: [settled('a#1'), { kind: 'forgotten', paths: ['a'] }],
        signals: [{ name: 'go', payload: null }],
      });
      expect(await store.create(run)).toEqual({ runId: 'run1', isNew: true });
      expect(await store.find(localCaller, 'run1')).toEqual({
        runId: 'run1',
        callerId: 'local',
        plan: run.plan,
        input: run.input,
        meta: run.meta,
        name: 'n',
        goal: 'g',
        status: 'queued',
        engine: 'embedded',
        createdAt: '1970-01-01T00:00:01.000Z',
        startedAt: null,
        endedAt: null,
        forkedFrom: 'run0',
        request: null,
        requestReason: null,
        deadlineMs: 99_000,
        signals: 1,
      });
      expect(await store.journal('run1')).toEqual(run.journal);
      expect(await store.signals('run1')).toEqual(run.signals);
      expect(await store.notices(['run1', 'none'])).toEqual([
        { runId: 'run1', request: null, requestReason: null, signals: 1 },
      ]);
    });

    it('finds a run by a beginning that only it has, for its caller alone', async () => {
      const { store } = await aScene();
      await store.create(aNewRun({ runId: 'abc1' }));
      await store.create(aNewRun({ runId: 'abc12' }));
      await store.create(aNewRun({ runId: 'abd1' }));
      expect(await store.find(localCaller, 'abd')).toMatchObject({ runId: 'abd1' });
      expect(await store.find(null, 'abc1')).toMatchObject({ runId: 'abc1' });
      expect(await store.find(localCaller, 'abc')).toBeUndefined();
      expect(await store.summary(localCaller, 'abc')).toBeUndefined();
      expect(await store.summary(stranger, 'abd')).toBeUndefined();
      const [listed] = (await store.list(localCaller, { limit: 9 })).filter(
        ({ runId }) => runId === 'abd1',
      );
      expect(await store.summary(localCaller, 'abd')).toEqual(listed);
      expect(await store.find(localCaller, 'x')).toBeUndefined();
      expect(await store.find(stranger, 'abd')).toBeUndefined();
    });

    testWholeRuns(aClaimed);

    it('starts one run for one idempotency key of a caller', async () => {
      const { store, other } = await aScene();
      const once = { idempotencyKey: 'k' };
      const stored: string[] = [];
      const onStored = (runId: string): void => void stored.push(runId);
      const first = await store.create(aNewRun(once), onStored);
      expect(first).toEqual({ runId: 'run1', isNew: true });
      const second = await other.create(aNewRun({ ...once, runId: 'run2' }), onStored);
      expect(second).toEqual({ runId: 'run1', isNew: false });
      expect(stored).toEqual(['run1']);
      expect(await store.find(null, 'run2')).toBeUndefined();
      const theirs = aNewRun({ ...once, runId: 'run3', callerId: 'stranger' });
      expect(await store.create(theirs)).toEqual({ runId: 'run3', isNew: true });
    });

    it('lists the runs of a caller, the newest first, by status', async () => {
      const { store } = await aScene();
      for (const [place, runId] of ['a', 'b', 'c'].entries()) {
        await store.create(aNewRun({ runId, createdAtMs: 1_000 + place }));
      }
      await store.create(aNewRun({ runId: 'd', callerId: 'stranger' }));
      await claimed(store, 'b');
      const ids = async (filter: Parameters<RunStore['list']>[1]): Promise<string[]> =>
        (await store.list(localCaller, filter)).map(({ runId }) => runId);
      expect(await ids({ limit: 10 })).toEqual(['c', 'b', 'a']);
      expect(await ids({ limit: 2 })).toEqual(['c', 'b']);
      expect(await ids({ limit: 10, status: ['queued', 'failed'] })).toEqual(['c', 'a']);
      expect(await ids({ limit: 10, status: [] })).toEqual([]);
      expect(await ids({ limit: 10, after: 'c' })).toEqual(['b', 'a']);
      expect(await ids({ limit: 10, after: 'c', status: ['queued'] })).toEqual(['a']);
      for (const after of ['d', 'gone']) expect(await ids({ limit: 10, after })).toEqual([]);
    });

    it('lists those of one place where that is wanted', async () => {
      const { store } = await aScene('here');
      await store.create(aNewRun({ runId: 'a', place: 'here' }));
      await store.create(aNewRun({ runId: 'b', place: 'there' }));
      const listed = async (filter: Parameters<RunStore['list']>[1]): Promise<string[]> =>
        (await store.list(localCaller, filter)).map(({ runId }) => runId);
      expect(await listed({ limit: 10, where: 'here' })).toEqual(['a']);
      expect(await listed({ limit: 10 })).toHaveLength(2);
    });

    it('removes runs that ended before a time, the oldest first, and all that belongs to them', async () => {
      const { store, clock } = await aScene();
      for (const runId of ['a', 'b', 'c', 'd']) {
        await store.create(aNewRun({ runId, signals: [{ name: 's', payload: 1 }] }));
        if (runId === 'd') continue;
        const lease = await claimed(store, runId);
        clock.nowMs += 10;
        const end = { status: 'succeeded', outcome: { ok: true } } as const;
        await store.commit([{ lease, entries: [settled('a#1')], ...end }], 'normal');
      }
      expect(await store.remove({ id: 'stranger' }, ['a', 'd'])).toEqual([]);
      expect(await store.remove(localCaller, ['d', 'none'])).toEqual([]);
      expect(await store.prune(clock.nowMs, 1)).toEqual([{ runId: 'a', callerId: 'local' }]);
      expect(await store.prune(clock.nowMs, 100)).toEqual([{ runId: 'b', callerId: 'local' }]);
      expect(await store.journal('a')).toEqual([]);
      expect(await store.signals('a')).toEqual([]);
      expect((await store.list(localCaller, { limit: 9 })).map(({ runId }) => runId)).toEqual([
        'd',
        'c',
      ]);
      expect(await store.remove(localCaller, ['c', 'd'])).toEqual([
        { runId: 'c', callerId: 'local' },
      ]);
      expect(await store.journal('c')).toEqual([]);
    });
  });

  describe('leases', () => {
    it('gives a run to one of those who claim it', async () => {
      const { store, other } = await aScene();
      await store.create(aNewRun());
      const leases = await Promise.all([
        store.claim(['run1'], anOwner()),
        other.claim(['run1'], anOwner({ id: 'owner2', pid: 2 })),
        other.claim(['run1', 'none'], anOwner({ id: 'owner3', pid: 3 })),
      ]);
      expect(leases.flat()).toHaveLength(1);
      expect(await store.find(null, 'run1')).toMatchObject({
        status: 'running',
        startedAt: '1970-01-01T00:00:10.000Z',
      });
    });

    it('gives it to the next when the time is over, and from then on nothing of the first is kept', async () => {
      const { store, other, clock, lease } = await aClaimed();
      clock.nowMs += 14_999;
      expect(await claimOne(other, 'run1', anOwner({ id: 'owner2' }))).toBeUndefined();
      clock.nowMs += 1;
      // Nobody has taken it yet: what it did is still good.
      expect(await store.commit([{ lease, entries: [settled('a#1')] }], 'normal')).toEqual({
        lost: [],
      });
      const next = await claimed(other, 'run1', 'owner2');
      expect(next.epoch).toBeGreaterThan(lease.epoch);
      const late = { lease, entries: [settled('b#1')], status: 'failed', outcome: 1 } as const;
      expect(await store.commit([late], 'full')).toEqual({ lost: ['run1'] });
      expect(await store.renew([lease])).toEqual([]);
      await store.release([{ lease }]);
      expect(await other.renew([next])).toEqual([{ ...next, untilMs: clock.nowMs + 15_000 }]);
      expect(await store.journal('run1')).toEqual([settled('a#1')]);
      expect(await store.find(null, 'run1')).toMatchObject({ status: 'running' });
    });

    it('gives it to the next at once when the process that had it is dead', async () => {
      const { other, gone } = await aClaimed();
      expect(await other.unclaimed('embedded', 9)).toEqual([]);
      gone.add(anOwner().pid);
      expect(await other.unclaimed('embedded', 9)).toEqual(['run1']);
      expect(await claimOne(other, 'run1', anOwner({ id: 'owner2', pid: 2 }))).toBeDefined();
    });

    it('lasts as long as it is renewed', async () => {
      const { store, other, clock, lease } = await aClaimed();
      for (let round = 0; round < 5; round += 1) {
        clock.nowMs += 10_000;
        expect(await store.renew([lease])).toEqual([{ ...lease, untilMs: clock.nowMs + 15_000 }]);
        expect(await claimOne(other, 'run1', anOwner({ id: 'owner2' }))).toBeUndefined();
      }
    });

    it('is gone when it was given back, also for who had it', async () => {
      const { store, other, lease } = await aClaimed();
      await store.release([{ lease }]);
      expect(await store.commit([{ lease, entries: [settled('a#1')] }], 'normal')).toEqual({
        lost: ['run1'],
      });
      expect(await other.unclaimed('embedded', 9)).toEqual(['run1']);
    });

    it('is not given of a run that is over', async () => {
      const { store, lease } = await aClaimed();
      await store.commit([{ lease, entries: [], status: 'succeeded', outcome: 7 }], 'normal');
      expect(await claimOne(store, 'run1')).toBeUndefined();
      expect(await store.unclaimed('embedded', 9)).toEqual([]);
      expect(await store.renew([lease])).toEqual([]);
    });
  });

  describe('runs that have something to do', () => {
    it('are those of the engine that nobody executes, the oldest first', async () => {
      const { store } = await aScene();
      await store.create(aNewRun({ runId: 'b', createdAtMs: 2 }));
      await store.create(aNewRun({ runId: 'a', createdAtMs: 3 }));
      await store.create(aNewRun({ runId: 'c', createdAtMs: 1 }));
      await store.create(aNewRun({ runId: 'r', engine: 'restate' }));
      expect(await store.unclaimed('embedded', 9)).toEqual(['c', 'b', 'a']);
      expect(await store.unclaimed('embedded', 2)).toEqual(['c', 'b']);
      await claimed(store, 'b');
      expect(await store.unclaimed('embedded', 9)).toEqual(['c', 'a']);
    });

    it('are not those of other places, for who works at one', async () => {
      const { store } = await aScene('here');
      await store.create(aNewRun({ runId: 'a', place: 'here' }));
      await store.create(aNewRun({ runId: 'b', place: 'there' }));
      await store.create(aNewRun({ runId: 'c' }));
      expect(await store.unclaimed('embedded', 9)).toEqual(['a', 'c']);
      expect(await store.unclaimed('embedded', 9, 'anywhere')).toEqual(['a', 'b', 'c']);
      expect(await claimOne(store, 'b')).toBeDefined();
    });

    it('are not those that wait, until their time has come', async () => {
      const { store, clock, lease } = await aClaimed();
      await store.release([{ lease, idle: { untilMs: clock.nowMs + 500, signals: 0 } }]);
      expect(await store.unclaimed('embedded', 9)).toEqual([]);
      clock.nowMs += 500;
      expect(await store.unclaimed('embedded', 9)).toEqual(['run1']);
    });

    it.each(['signal', 'cancel', 'pause'] as const)(
      'are those that wait and got a %s, before or after they were let go',
      async (kind) => {
        for (const isBefore of [true, false]) {
          const { store, other, lease } = await aClaimed();
          const give = async (): Promise<void> => {
            if (kind === 'signal') await other.signal('run1', { name: 's', payload: 1 });
            else await other.request('run1', kind);
          };
          if (isBefore) await give();
          await store.release([{ lease, idle: { untilMs: null, signals: 0 } }]);
          if (!isBefore) {
            expect(await store.unclaimed('embedded', 9)).toEqual([]);
            await give();
          }
          expect(await store.unclaimed('embedded', 9)).toEqual(['run1']);
        }
      },
    );

    it('are not those that are paused, until the pause is taken back', async () => {
      const { store, other, lease } = await aClaimed();
      await other.request('run1', 'pause');
      await store.commit([{ lease, entries: [], status: 'paused' }], 'normal');
      await store.release([{ lease, idle: { untilMs: null, signals: 0 } }]);
      expect(await store.unclaimed('embedded', 9)).toEqual([]);
      await other.request('run1', null);
      expect(await store.unclaimed('embedded', 9)).toEqual(['run1']);
      await claimed(store, 'run1');
      expect(await store.find(null, 'run1')).toMatchObject({ status: 'running', request: null });
    });
  });

  describe('commits', () => {
    it('add to the journal in order', async () => {
      const { store, other, lease } = await aClaimed();
      const batches = [['a#1', 'b#1', 'c#1'], ['d#1'], ['e#1', 'f#1']];
      for (const keys of batches) {
        await store.commit([{ lease, entries: keys.map(settled) }], 'normal');
      }
      const all = batches.flat().map(settled);
      expect(await other.journal('run1')).toEqual(all);
    });

    it('keep what belongs to several runs, and leave out those whose lease is gone', async () => {
      const { store, lease } = await aClaimed();
      await store.create(aNewRun({ runId: 'run2' }));
      const mine = await claimed(store, 'run2');
      const report = await store.commit(
        [
          {
            lease: { ...lease, epoch: lease.epoch + 1 },
            entries: [settled('x#1')],
            status: 'waiting',
          },
          { lease: mine, entries: [settled('y#1')], status: 'waiting' },
        ],
        'full',
      );
      expect(report).toEqual({ lost: ['run1'] });
      expect(await store.journal('run1')).toEqual([]);
      expect(await store.journal('run2')).toEqual([settled('y#1')]);
      expect(await store.find(null, 'run2')).toMatchObject({ status: 'waiting' });
    });

    it('end a run with what it came to, and give its lease back', async () => {
      const { store, clock, lease } = await aClaimed();
      clock.nowMs = 12_345;
      await store.commit(
        [{ lease, entries: [], status: 'failed', outcome: { error: 'e' } }],
        'normal',
      );
      expect(await store.find(null, 'run1')).toMatchObject({
        status: 'failed',
        outcome: { error: 'e' },
        endedAt: '1970-01-01T00:00:12.345Z',
      });
      expect(await store.commit([{ lease, entries: [settled('a#1')] }], 'normal')).toEqual({
        lost: ['run1'],
      });
      expect(await store.commit([], 'normal')).toEqual({ lost: [] });
    });
  });

  describe('what comes from outside', () => {
    it('keeps the first value of a signal, in the order they came', async () => {
      const { store, other } = await aClaimed();
      expect(await other.signal('run1', { name: 'z', payload: { a: 1 } })).toBe(true);
      expect(await other.signal('run1', { name: 'a', payload: null })).toBe(true);
      expect(await store.signal('run1', { name: 'z', payload: 2 })).toBe(false);
      expect(await store.signal('none', { name: 'z', payload: 2 })).toBe(false);
      expect(await store.signals('run1')).toEqual([
        { name: 'z', payload: { a: 1 } },
        { name: 'a', payload: null },
      ]);
      expect(await store.notices(['run1'])).toMatchObject([{ signals: 2 }]);
    });

    it('keeps a cancellation whatever is asked afterwards, and asks nothing of a run that is over', async () => {
      const { store, other, lease } = await aClaimed();
      await other.request('run1', 'pause');
      await other.request('run1', 'cancel', 'enough');
      await other.request('run1', null);
      const [notice] = await store.notices(['run1']);
      expect(notice).toMatchObject({ request: 'cancel', requestReason: 'enough' });
      await store.create(aNewRun({ runId: 'run2' }));
      const mine = await claimed(store, 'run2');
      await store.commit([{ lease: mine, entries: [], status: 'failed', outcome: 1 }], 'normal');
      await other.request('run2', 'cancel');
      expect(await store.find(null, 'run2')).toMatchObject({ request: null });
      expect(lease.runId).toBe('run1');
    });

    it('shows by its revision that another process wrote, and not what it wrote itself', async () => {
      const { store, other } = await aScene();
      await store.create(aNewRun());
      await other.revision();
      const before = await store.revision();
      await store.signal('run1', { name: 'own', payload: 1 });
      expect(await store.revision()).toBe(before);
      await other.signal('run1', { name: 'theirs', payload: 1 });
      expect(await store.revision()).not.toBe(before);
    });
  });

  describe('amending', () => {
    testAmending(aClaimed);
  });
}

async function claimed(store: RunStore, runId: string, owner = 'owner1'): Promise<Lease> {
  const lease = await claimOne(store, runId, anOwner({ id: owner }));
  if (!lease) throw new Error(`${runId} could not be claimed`);
  return lease;
}
