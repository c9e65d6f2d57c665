import { afterEach, describe, expect, it } from 'vitest';
import { settle } from '../../../testkit/fleet/manual-timers.ts';
import type { CommitReport, RunStore } from '../engine/run-store.ts';
import {
  EngineScene,
  inSequence,
  type Coroutine,
} from '../../../testkit/workflow/embedded/an-engine.ts';

/** What the stores of a test are still to keep: engines that are closed wait for it. */
let waiting: (() => void)[] = [];
let isSlow = true;

afterEach(() => {
  isSlow = false;
  for (const keep of waiting) keep();
});

/** Runs over a store that keeps what it is given when it is told to. */
function slowScene(coroutine: Coroutine) {
  waiting = [];
  isSlow = true;
  const sizes: number[] = [];
  const wrap = (store: RunStore): RunStore => {
    const commit = store.commit.bind(store);
    store.commit = async (changes, durability): Promise<CommitReport> => {
      sizes.push(changes.reduce((sum, { entries }) => sum + entries.length, 0));
      if (isSlow) await new Promise<void>((resolve) => void waiting.push(resolve));
      return commit(changes, durability);
    };
    return store;
  };
  const scene = new EngineScene({ coroutine, wrap });
  const keep = async (): Promise<void> => {
    waiting.shift()?.();
    await settle();
  };
  return { scene, sizes, keep };
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `s${n + 1}#1`);

describe('a run whose results are not kept yet', () => {
  it('goes on, and tells its activities when all before them are', async () => {
    const { scene, sizes, keep } = slowScene(inSequence('a#1', 'b#1', 'c#1'));
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    expect(scene.call('a#1').recorded?.()).toBeUndefined();
    scene.call('a#1').resolve(1);
    await settle();
    scene.call('b#1').resolve(2);
    await settle();
    expect(await scene.settledKeys(runId)).toEqual([]);
    let isRecorded = false;
    void scene
      .call('c#1')
      .recorded?.()
      ?.then(() => (isRecorded = true));
    await keep();
    expect(await scene.settledKeys(runId)).toEqual(['a#1']);
    expect(isRecorded).toBe(false);
    await keep();
    expect(await scene.settledKeys(runId)).toEqual(['a#1', 'b#1']);
    expect(isRecorded).toBe(true);
    expect(scene.call('c#1').recorded?.()).toBeUndefined();
    scene.call('c#1').resolve(3);
    await settle();
    await keep();
    expect(await ended).toBe('ended');
    // The end comes with the last result.
    expect(sizes).toEqual([1, 1, 1]);
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded', outcome: [1, 2, 3] });
  });

  it('is not told of as ended before it is', async () => {
    const { scene, keep } = slowScene(inSequence('a#1'));
    const runId = await scene.create();
    let end: string | undefined;
    void scene
      .openEngine()
      .execute(runId)
      .then((it) => (end = it));
    await settle();
    scene.call('a#1').resolve(1);
    await settle();
    expect(end).toBeUndefined();
    await keep();
    expect(end).toBe('ended');
  });

  it('is so many results ahead and no more', async () => {
    const keys = numbered(100);
    const { scene, sizes, keep } = slowScene(inSequence(...keys));
    const ended = scene.openEngine().execute(await scene.create());
    const resolveAll = async (): Promise<void> => {
      for (let seen = 0; seen < scene.calls.length;) {
        seen = scene.calls.length;
        scene.calls.at(-1)?.resolve(1);
        await settle();
      }
    };
    await settle();
    await resolveAll();
    // One that is being kept and 64 more.
    expect(scene.calls).toHaveLength(65);
    await keep();
    await resolveAll();
    expect(scene.calls).toHaveLength(66);
    await keep();
    await resolveAll();
    expect(scene.calls).toHaveLength(100);
    for (let commit = 0; commit < 2; commit += 1) await keep();
    expect(await ended).toBe('ended');
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100);
  });

  it('runs again after a death what was not kept, and comes to the same', async () => {
    const { scene, keep } = slowScene(inSequence('a#1', 'b#1', 'c#1'));
    const runId = await scene.create();
    void scene.openEngine().execute(runId);
    await settle();
    scene.call('a#1').resolve(1);
    await settle();
    await keep();
    scene.call('b#1').resolve(2);
    await settle();
    expect(scene.calls.map(({ key }) => key)).toEqual(['a#1', 'b#1', 'c#1']);
    scene.gone.add(1);
    const ended = scene.openEngine().execute(runId);
    await settle();
    expect(scene.calls.slice(3).map(({ key }) => key)).toEqual(['b#1']);
    scene.call('b#1').resolve(2);
    await settle();
    scene.call('c#1').resolve(3);
    await settle();
    for (let commit = 0; commit < 4; commit += 1) await keep();
    expect(await ended).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({ outcome: [1, 2, 3] });
  });

  it('stops what waits for them once somebody else has the run', async () => {
    const { scene, keep } = slowScene(inSequence('a#1', 'b#1'));
    const runId = await scene.create();
    void scene.openEngine().execute(runId);
    await settle();
    scene.call('a#1').resolve(1);
    await settle();
    const { recorded, signal } = scene.call('b#1');
    const waited = recorded?.()?.then(() => signal.aborted);
    scene.gone.add(1);
    await scene.openStore().claim([runId], {
      id: 'other',
      pid: 9,
      processStart: 'machine|9',
      leaseMs: 15_000,
    });
    await keep();
    expect(await waited).toBe(true);
    expect(await scene.settledKeys(runId)).toEqual([]);
  });

  it.each([1, 2, 3])(
    'ends once where the disk is waited for, %i results after a wait',
    async (reads) => {
      const keys = numbered(reads);
      const syncs: (() => void)[] = [];
      const lost: string[] = [];
      const scene = new EngineScene({
        limits: { durability: 'full' },
        coroutine: async (scope, run) => {
          scope.waitForSignal('gate', 'go', {});
          await scope.next();
          return inSequence(...keys)(scope, run);
        },
        wrap: (store) => {
          const commit = store.commit.bind(store);
          store.commit = async (changes, durability) => {
            const report = await commit(changes, durability);
            lost.push(...report.lost);
            return report;
          };
          store.synced = () =>
            isSlow ? new Promise((resolve) => void syncs.push(resolve)) : Promise.resolve();
          return store;
        },
      });
      isSlow = true;
      const runId = await scene.create();
      const engine = scene.openEngine();
      let end: string | undefined;
      void engine.execute(runId).then((it) => (end = it));
      await settle();
      syncs.shift()?.();
      await settle();
      expect(await scene.record(runId)).toMatchObject({ status: 'waiting' });
      await scene.store.signal(runId, { name: 'go', payload: 1 });
      engine.look();
      for (const key of keys) {
        await settle();
        scene.call(key).resolve(1);
      }
      await settle();
      expect(end).toBeUndefined();
      while (syncs.length > 0) {
        syncs.shift()?.();
        await settle();
      }
      expect(end).toBe('ended');
      expect(lost).toEqual([]);
      expect(await scene.record(runId)).toMatchObject({ status: 'succeeded' });
    },
  );

  it('lets nobody wait for them that comes after it was stopped', async () => {
    const scene = new EngineScene({
      areDeaf: true,
      coroutine: async (scope) => {
        for (const key of ['a#1', 'b#1']) scope.step(key, 'call', null);
        while (true) await scope.next();
      },
    });
    const runId = await scene.create();
    const engine = scene.openEngine();
    const ended = engine.execute(runId);
    await settle();
    await scene.store.request(runId, 'cancel');
    engine.look();
    await settle();
    scene.call('a#1').resolve(1);
    await settle();
    const late = scene.call('b#1');
    expect(late.recorded?.()).toBeUndefined();
    late.reject(late.signal.reason);
    expect(await ended).toBe('ended');
    expect(await scene.settledKeys(runId)).toEqual(['a#1']);
  });
});
