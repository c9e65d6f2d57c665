import { describe, expect, it } from 'vitest';
import { settle } from '../../../testkit/fleet/manual-timers.ts';
import type { RunStore } from '../engine/run-store.ts';
import {
  afterSignal,
  EngineScene,
  inSequence,
  type Coroutine,
} from '../../../testkit/workflow/embedded/an-engine.ts';

const workAfterNap: Coroutine = async (scope) => {
  scope.sleep('nap', 5_000);
  await scope.next();
  scope.step('work#1', 'call', null);
  await scope.next();
  return { status: 'succeeded', outcome: null };
};

/** A store whose commits wait while it is closed. */
class SlowCommits {
  #opened: Promise<void> = Promise.resolve();
  #open = (): void => {};

  readonly wrap = (store: RunStore): RunStore =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') {
          return async (...given: Parameters<RunStore['commit']>) => {
            await this.#opened;
            return target.commit(...given);
          };
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opened = promise;
    this.#open = resolve;
  }

  open(): void {
    this.#open();
  }
}

describe('letting go of a run that only waits', () => {
  it('does not happen once its wait is over, however long that takes to be recorded', async () => {
    const commits = new SlowCommits();
    const scene = new EngineScene({
      coroutine: workAfterNap,
      wrap: commits.wrap,
      limits: { idleMs: 5_050 },
    });
    await scene.create();
    scene.openEngine().start();
    await scene.timers.pass(4_900);
    commits.close();
    await scene.timers.pass(500);
    commits.open();
    await scene.timers.pass(10_000);
    expect(scene.calls.map(({ key }) => key)).toEqual(['work#1']);
  });

  it('tells what is under way that nobody wanted it to end', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = scene.openEngine();
    const ended = engine.execute(await scene.create());
    await settle();
    await engine.close();
    expect(await ended).toBe('let-go');
    expect(scene.call('a#1').signal.reason).toMatchObject({ code: 'workflow.run_let_go' });
  });

  it('loses no signal that comes meanwhile', async () => {
    const commits = new SlowCommits();
    const scene = new EngineScene({
      coroutine: afterSignal,
      wrap: commits.wrap,
      limits: { idleMs: 50 },
    });
    const runId = await scene.create();
    commits.close();
    scene.openEngine().start();
    await scene.timers.pass(200);
    await scene.store.signal(runId, { name: 'go', payload: 1 });
    await scene.timers.pass(200);
    commits.open();
    await scene.timers.pass(10_000);
    expect(scene.calls.map(({ key }) => key)).toEqual(['work#1']);
  });
});

describe('a run that cannot be read', () => {
  const failFor =
    (member: 'findWhole' | 'signals', broken: string) =>
    (store: RunStore): RunStore =>
      new Proxy(store, {
        get: (target, name) => {
          const found: unknown = Reflect.get(target, name);
          if (typeof found !== 'function') return found;
          if (name !== member) return found.bind(target);
          return async (...given: readonly unknown[]) => {
            if (given.includes(broken)) throw new Error('unreadable');
            return found.apply(target, given);
          };
        },
      });

  it('does not stand in the way of those after it', async () => {
    const scene = new EngineScene({
      coroutine: inSequence('a#1'),
      wrap: failFor('findWhole', 'run-1'),
      limits: { maxRuns: 1 },
    });
    await scene.create({ runId: 'run-1' });
    await scene.create({ runId: 'run-2' });
    scene.openEngine().start();
    await scene.timers.pass(10_000);
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['run-2']);
  });

  it('keeps no news from others when its signals are unreadable, and can be cancelled', async () => {
    let isBroken = false;
    const scene = new EngineScene({
      coroutine: afterSignal,
      wrap: (store) => {
        const broken = failFor('signals', 'run-1')(store);
        return new Proxy(store, {
          get: (target, name) => {
            const member: unknown = Reflect.get(isBroken ? broken : target, name);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
      },
    });
    for (const runId of ['run-1', 'run-2']) await scene.create({ runId });
    const engine = scene.openEngine();
    engine.start();
    await settle();
    isBroken = true;
    for (const runId of ['run-1', 'run-2']) {
      await scene.store.signal(runId, { name: 'go', payload: 1 });
    }
    await scene.timers.pass(1_000);
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['run-2']);
    await scene.store.request('run-1', 'cancel');
    await scene.timers.pass(1_000);
    expect(await scene.record('run-1')).toMatchObject({ status: 'cancelled' });
  });
});

describe('a run that a step of another run waits for', () => {
  it('is executed though runs like that one have all the places', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1'), limits: { maxRuns: 2 } });
    const engine = scene.openEngine();
    for (const runId of ['outer-1', 'outer-2', 'outer-3']) {
      await scene.create({ runId });
      void engine.execute(runId);
    }
    const depthOf = (depth: number) => ({ meta: { 'tutti/runDepth': depth } });
    await settle();
    for (const runId of ['inner-1', 'inner-2', 'inner-3']) {
      await scene.create({ runId, ...depthOf(1) });
      void engine.execute(runId);
    }
    await scene.create({ runId: 'innermost', ...depthOf(2) });
    void engine.execute('innermost');
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual([
      'outer-1',
      'outer-2',
      'inner-1',
      'inner-2',
      'innermost',
    ]);
    for (const call of scene.calls.splice(0)) call.resolve(1);
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['outer-3', 'inner-3']);
  });
});
