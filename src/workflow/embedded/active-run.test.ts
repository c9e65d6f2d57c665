import { describe, expect, it } from 'vitest';
import { settle } from '../../../testkit/fleet/manual-timers.ts';
import {
  afterSignal,
  aLongSleep,
  EngineScene,
  inSequence,
} from '../../../testkit/workflow/embedded/an-engine.ts';

describe('times and signals', () => {
  it('sleeps as long as was asked for, counted from the first time, whoever goes on with it', async () => {
    const scene = new EngineScene({ coroutine: aLongSleep, limits: { idleMs: 1e9 } });
    const runId = await scene.create();
    void scene.openEngine().execute(runId);
    await scene.timers.pass(3_000_000);
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    scene.gone.add(1);
    const second = scene.openEngine();
    const ended = second.execute(runId);
    await scene.timers.pass(599_000);
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    await scene.timers.pass(1_500);
    expect(await ended).toBe('ended');
    expect(await scene.settledKeys(runId)).toEqual(['nap']);
  });

  it('bears sleeps that are longer than timers of the platform', async () => {
    const days = 60 * 24 * 3_600_000;
    const scene = new EngineScene({
      coroutine: async (scope) => {
        scope.sleep('nap', days);
        await scope.next();
        return { status: 'succeeded', outcome: null };
      },
      limits: { idleMs: 1e12, pollMs: days, renewMs: days, leaseMs: 3 * days },
    });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await scene.timers.pass(days - 1);
    expect(await scene.settledKeys(runId)).toEqual([]);
    await scene.timers.pass(1);
    expect(await ended).toBe('ended');
  });

  it('is waiting while only somebody can make it go on, and gets a signal of another process within 100 ms', async () => {
    const scene = new EngineScene({ coroutine: afterSignal });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await scene.timers.pass(1_000);
    expect(await scene.record(runId)).toMatchObject({ status: 'waiting' });
    await scene.store.signal(runId, { name: 'go', payload: { by: 'me' } });
    await scene.timers.pass(100);
    scene.call('work#1');
    await scene.timers.pass(200);
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    scene.call('work#1').resolve('done');
    await ended;
    expect(await scene.record(runId)).toMatchObject({
      outcome: [{ payload: { by: 'me' } }, 'done'],
    });
  });

  it('gets a signal of its own process at once when it is told to look', async () => {
    const scene = new EngineScene({ coroutine: afterSignal });
    const runId = await scene.create();
    const engine = scene.openEngine();
    void engine.execute(runId);
    await settle();
    await scene.store.signal(runId, { name: 'go', payload: 1 });
    engine.look();
    await settle();
    expect(scene.call('work#1')).toBeDefined();
  });

  it('settles a wait with the signal that came before, or by its time limit', async () => {
    const scene = new EngineScene({
      coroutine: async (scope) => {
        scope.waitForSignal('a', 'there', { timeoutMs: 500 });
        scope.waitForSignal('b', 'missing', { timeoutMs: 500 });
        scope.waitForSignal('c', 'missing', {});
        const settled = [...(await scope.next()), ...(await scope.next())];
        return { status: 'succeeded', outcome: settled.map(({ key, value }) => [key, value]) };
      },
    });
    const runId = await scene.create({ signals: [{ name: 'there', payload: null }] });
    const ended = scene.openEngine().execute(runId);
    await scene.timers.pass(499);
    expect(await scene.settledKeys(runId)).toEqual(['a']);
    await scene.timers.pass(1);
    await ended;
    expect(await scene.record(runId)).toMatchObject({
      outcome: [
        ['a', { payload: null }],
        ['b', { timedOut: true }],
      ],
    });
  });

  it('asks anew for what was forgotten', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create({
      journal: [
        { kind: 'settled', key: 'a#1', value: 1 },
        { kind: 'settled', key: 'b#1', value: 2 },
        { kind: 'due', key: 'b', atMs: 5 },
        { kind: 'forgotten', paths: ['b'] },
      ],
    });
    const ended = scene.openEngine().execute(runId);
    await settle();
    scene.call('b#1').resolve(3);
    await ended;
    expect(await scene.record(runId)).toMatchObject({ outcome: [1, 3] });
  });
});

describe('requests', () => {
  it('cancels within 100 ms: what is under way is told, what it still came to is kept', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    const { signal, resolve } = scene.call('a#1');
    signal.addEventListener('abort', () => resolve('half'));
    await scene.store.request(runId, 'cancel', 'enough');
    await scene.timers.pass(100);
    expect(signal.reason).toMatchObject({ code: 'workflow.cancelled' });
    expect(await ended).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({
      status: 'cancelled',
      outcome: { kind: 'cancelled', reason: 'enough' },
    });
  });

  it('ends a cancelled run without what does not end in time', async () => {
    const limits = { cancelGraceMs: 500 };
    const scene = new EngineScene({ coroutine: inSequence('a#1'), limits, areDeaf: true });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    await scene.store.request(runId, 'cancel');
    await scene.timers.pass(400);
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    await scene.timers.pass(400);
    expect(await ended).toBe('ended');
    scene.call('a#1').resolve('too late');
    await settle();
    expect(await scene.record(runId)).toMatchObject({ status: 'cancelled' });
    expect(await scene.settledKeys(runId)).toEqual([]);
  });

  it('cancels a run that nobody executes when it is taken on, without running anything', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    await scene.store.request(runId, 'cancel');
    expect(await scene.openEngine().execute(runId)).toBe('ended');
    expect(scene.calls).toEqual([]);
    expect(await scene.record(runId)).toMatchObject({ status: 'cancelled' });
  });

  it('pauses when what is under way has finished, and goes on when the pause is taken back', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create();
    const engine = scene.openEngine();
    engine.start();
    const ended = engine.execute(runId);
    await settle();
    await scene.store.request(runId, 'pause');
    await scene.timers.pass(200);
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    expect(scene.call('a#1').signal.aborted).toBe(false);
    scene.call('a#1').resolve(1);
    expect(await ended).toBe('idle');
    expect(await scene.record(runId)).toMatchObject({ status: 'paused' });
    await scene.timers.pass(60_000);
    expect(scene.calls).toHaveLength(1);
    await scene.store.request(runId, null);
    await scene.timers.pass(100);
    scene.call('b#1').resolve(2);
    await settle();
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded', outcome: [1, 2] });
  });

  it('goes on when a pause is taken back before it came to it', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    await scene.store.request(runId, 'pause');
    await scene.timers.pass(100);
    await scene.store.request(runId, null);
    await scene.timers.pass(100);
    scene.call('a#1').resolve(1);
    await settle();
    scene.call('b#1').resolve(2);
    expect(await ended).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('fails a run whose time is up, also one that waits and was let go', async () => {
    const scene = new EngineScene({ coroutine: afterSignal, limits: { idleMs: 1_000 } });
    const deadlineMs = scene.timers.now() + 50_000;
    const runId = await scene.create({ deadlineMs });
    const engine = scene.openEngine();
    engine.start();
    expect(await Promise.all([engine.execute(runId), scene.timers.pass(2_000)])).toContain('idle');
    await scene.timers.pass(40_000);
    expect(await scene.record(runId)).toMatchObject({ status: 'waiting' });
    await scene.timers.pass(10_000);
    expect(await scene.record(runId)).toMatchObject({
      status: 'failed',
      outcome: { kind: 'failed', error: { code: 'workflow.run_timed_out' } },
    });
  });
});
