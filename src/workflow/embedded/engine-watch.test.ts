import { describe, expect, it } from 'vitest';
import { settle } from '../../../testkit/fleet/manual-timers.ts';
import type { RunStore } from '../engine/run-store.ts';
import { embeddedFaultPoints } from './embedded-engine.ts';
import {
  afterSignal,
  aLongSleep,
  EngineScene,
  inSequence,
} from '../../../testkit/workflow/embedded/an-engine.ts';

describe('taking runs on', () => {
  it('resumes by itself what nobody executes, from its start on', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    for (const runId of ['x', 'y']) await scene.create({ runId });
    scene.openEngine().start();
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['x', 'y']);
    await scene.create({ runId: 'z' });
    await scene.timers.pass(100);
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['x', 'y', 'z']);
  });

  it('finds all of more runs than it executes at once', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1'), limits: { maxRuns: 2 } });
    const ids = Array.from({ length: 7 }, (_, place) => `run-${place}`);
    for (const runId of ids) await scene.create({ runId });
    const engine = scene.openEngine();
    expect(await engine.resumeAll()).toBe(2);
    engine.start();
    for (let round = 0; round < 10; round += 1) {
      await settle();
      expect(scene.calls.length).toBeLessThanOrEqual(2);
      for (const call of scene.calls.splice(0)) call.resolve(1);
    }
    const records = await Promise.all(ids.map((runId) => scene.record(runId)));
    expect(records.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
  });

  it('takes over from a dead process at the next look, and from a stopped one when its lease is over', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    const [lease] = await scene.store.claim([runId], {
      id: 'stopped',
      pid: 77,
      processStart: 'machine|77',
      leaseMs: 15_000,
    });
    expect(lease).toBeDefined();
    scene.openEngine().start();
    await scene.timers.pass(14_000);
    expect(scene.calls).toEqual([]);
    await scene.timers.pass(4_000);
    expect(scene.calls).toHaveLength(1);
  });

  it('keeps its leases by renewing them, while activities take long', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    scene.openEngine().start();
    await scene.timers.pass(120_000);
    expect(scene.calls).toHaveLength(1);
    scene.call('a#1').resolve(1);
    expect(await ended).toBe('ended');
  });

  it('lets a run go at once when somebody else has it, tells what runs, and records nothing', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create();
    const ended = scene.openEngine({ renewMs: 1e9 }).execute(runId);
    await settle();
    const first = scene.call('a#1');
    scene.gone.add(1);
    const other = scene.openEngine().execute(runId);
    await settle();
    first.resolve('too late');
    expect(await ended).toBe('let-go');
    expect(await scene.settledKeys(runId)).toEqual([]);
    scene.call('a#1').resolve('in time');
    await settle();
    scene.call('b#1').resolve(2);
    expect(await other).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({ outcome: ['in time', 2] });
  });

  it('stops what runs when its lease was not renewed', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    scene.gone.add(1);
    void scene.openEngine().execute(runId);
    await settle();
    const [first] = scene.calls;
    await scene.timers.pass(5_100);
    expect(await ended).toBe('let-go');
    expect(first?.signal.aborted).toBe(true);
    expect(scene.calls[1]?.signal.aborted).toBe(false);
  });

  it('begins nothing while its lease may be over, until it is renewed', async () => {
    const failing = { isOn: false };
    const scene = new EngineScene({
      coroutine: inSequence('a#1', 'b#1'),
      limits: { leaseMs: 10_000 },
      wrap: (store) => {
        const renew = store.renew.bind(store);
        store.renew = async (leases) => {
          if (failing.isOn) throw new Error('the disk is away');
          return renew(leases);
        };
        return store;
      },
    });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    failing.isOn = true;
    await scene.timers.pass(11_000);
    scene.call('a#1').resolve(1);
    await settle();
    expect(scene.calls).toHaveLength(1);
    failing.isOn = false;
    await scene.timers.pass(5_000);
    scene.call('b#1').resolve(2);
    expect(await ended).toBe('ended');
  });

  it('lets runs go that only wait, and takes them on again when something comes or their time does', async () => {
    const scene = new EngineScene({
      coroutine: async (scope, run) =>
        run.runId === 'nap' ? aLongSleep(scope, run) : afterSignal(scope, run),
      limits: { idleMs: 1_000 },
    });
    const engine = scene.openEngine();
    engine.start();
    await scene.create({ runId: 'nap' });
    await scene.create({ runId: 'gate' });
    const ends = Promise.all([engine.execute('nap'), engine.execute('gate')]);
    await scene.timers.pass(2_000);
    expect(await ends).toEqual(['idle', 'idle']);
    await scene.store.signal('gate', { name: 'go', payload: 1 });
    await scene.timers.pass(100);
    scene.call('work#1').resolve(2);
    await settle();
    expect(await scene.record('gate')).toMatchObject({ status: 'succeeded' });
    await scene.timers.pass(3_600_000);
    expect(await scene.record('nap')).toMatchObject({ status: 'succeeded' });
  });

  it('gives the places of runs that only wait to those that stand in line', async () => {
    const scene = new EngineScene({ coroutine: afterSignal, limits: { maxRuns: 1, idleMs: 1e9 } });
    const engine = scene.openEngine();
    await scene.create({ runId: 'x' });
    await scene.create({ runId: 'y', signals: [{ name: 'go', payload: 1 }] });
    const first = engine.execute('x');
    await settle();
    const second = engine.execute('y');
    await scene.timers.pass(200);
    expect(await first).toBe('idle');
    scene.call('work#1').resolve(1);
    expect(await second).toBe('ended');
  });
});

describe('a store that cannot be used', () => {
  it('is asked again until it can be, without a word for every time, and no run is lost', async () => {
    const broken = { isOn: false };
    const scene = new EngineScene({
      coroutine: afterSignal,
      wrap: (store) => failing(store, broken),
    });
    const runId = await scene.create();
    const engine = scene.openEngine();
    engine.start();
    void engine.execute(runId);
    await scene.timers.pass(1_000);
    broken.isOn = true;
    await scene.store.signal(runId, { name: 'go', payload: 1 });
    engine.look();
    await scene.timers.pass(9_000);
    expect(scene.calls).toEqual([]);
    expect(scene.logged).toMatchObject([{ message: 'run store failed, retrying' }]);
    broken.isOn = false;
    await scene.timers.pass(1_000);
    scene.call('work#1').resolve(1);
    await settle();
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('costs the runs that were to be taken on or given back nothing but time', async () => {
    const broken = { isOn: true };
    const scene = new EngineScene({
      coroutine: inSequence('a#1'),
      wrap: (store) => failing(store, broken),
    });
    const runId = await scene.create();
    const engine = scene.openEngine();
    expect(await engine.execute(runId)).toBe('let-go');
    broken.isOn = false;
    const ended = engine.execute(runId);
    await settle();
    broken.isOn = true;
    await engine.close();
    expect(await ended).toBe('let-go');
    expect(scene.logged.map(({ message }) => message)).toEqual([
      'claim failed',
      'failed to release lease',
    ]);
    await scene.timers.pass(15_000);
    expect(await scene.store.unclaimed('embedded', 9)).toEqual([runId]);
  });

  function failing(store: RunStore, broken: { isOn: boolean }): RunStore {
    return new Proxy(store, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]): unknown => {
          if (!broken.isOn) return Reflect.apply(method, target, args);
          if (name === 'version') throw new Error('the disk is away');
          return Promise.reject(new Error('the disk is away'));
        };
      },
    });
  }
});

describe('dying', () => {
  it('is possible at every point that has a name', async () => {
    const passed = new Set<string>();
    const scene = new EngineScene({
      coroutine: async (scope, run) => {
        scope.sleep('nap', 10);
        await scope.next();
        return afterSignal(scope, run);
      },
      limits: { idleMs: 10_000 },
      faultPoint: (name) => passed.add(name),
    });
    const runId = await scene.create();
    const engine = scene.openEngine();
    engine.start();
    void engine.execute(runId);
    await scene.timers.pass(6_000);
    await scene.store.signal(runId, { name: 'go', payload: 1 });
    await scene.timers.pass(100);
    await scene.store.request(runId, 'pause');
    await scene.timers.pass(100);
    scene.call('work#1').resolve(1);
    await scene.timers.pass(100);
    await scene.store.request(runId, null);
    await scene.timers.pass(100);
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded' });
    expect([...passed].toSorted()).toEqual([...embeddedFaultPoints].toSorted());
  });
});
