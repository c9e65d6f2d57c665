import { describe, expect, it } from 'vitest';
import { settle } from '../../../testkit/fleet/manual-timers.ts';
import { EngineScene, inSequence } from '../../../testkit/workflow/embedded/an-engine.ts';

describe('executing a run', () => {
  it('runs its coroutine to the end and records what it came to', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create();
    const ended = scene.openEngine().execute(runId);
    await settle();
    expect(await scene.record(runId)).toMatchObject({ status: 'running' });
    scene.call('a#1').resolve(1);
    await settle();
    scene.call('b#1').resolve(2);
    expect(await ended).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({ status: 'succeeded', outcome: [1, 2] });
    expect(await scene.settledKeys(runId)).toEqual(['a#1', 'b#1']);
    expect(scene.calls[0]).toMatchObject({ runId, callerId: 'local', input: { of: 'a#1' } });
  });

  it('commits what several runs came to in one turn of the event loop together', async () => {
    const sizes: number[] = [];
    const scene = new EngineScene({
      coroutine: inSequence('a#1'),
      wrap: (store) => {
        const commit = store.commit.bind(store);
        store.commit = (changes, durability) => {
          sizes.push(changes.length);
          return commit(changes, durability);
        };
        return store;
      },
    });
    const engine = scene.openEngine();
    const ids = await Promise.all(['x', 'y', 'z'].map((runId) => scene.create({ runId })));
    const ended = Promise.all(ids.map((runId) => engine.execute(runId)));
    await settle();
    for (const call of scene.calls) call.resolve(1);
    await ended;
    expect(sizes).toEqual([3]);
  });

  it.each([
    ['normal', ['normal', 'normal', 'normal']],
    // Two outcomes, and the last one with the end: of an outcome nobody is told but the next step.
    ['full', ['soon', 'soon', 'soon', 'synced']],
  ] as const)('waits for the disk where somebody depends on it: %s', async (durability, kept) => {
    const commits: string[] = [];
    const scene = new EngineScene({
      coroutine: inSequence('a#1', 'b#1', 'c#1'),
      wrap: (store) => {
        const commit = store.commit.bind(store);
        store.commit = (changes, wanted) => {
          commits.push(wanted);
          return commit(changes, wanted);
        };
        store.synced = async () => void commits.push('synced');
        return store;
      },
    });
    const ended = scene.openEngine({ durability }).execute(await scene.create());
    for (const key of ['a#1', 'b#1', 'c#1']) {
      await settle();
      scene.call(key).resolve(1);
    }
    await ended;
    expect(commits).toEqual(kept);
  });

  it('goes on where a dead process stopped, and runs again only what was under way', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1') });
    const runId = await scene.create();
    void scene.openEngine().execute(runId);
    await settle();
    scene.call('a#1').resolve('first');
    await settle();
    const late = scene.call('b#1');
    scene.gone.add(1);
    const ended = scene.openEngine().execute(runId);
    await settle();
    expect(scene.calls.map(({ key }) => key)).toEqual(['a#1', 'b#1', 'b#1']);
    late.resolve('of the dead');
    await settle();
    scene.call('b#1').resolve('second');
    expect(await ended).toBe('ended');
    expect(await scene.record(runId)).toMatchObject({ outcome: ['first', 'second'] });
  });

  it('leaves a run to whoever has it, and gives the same answer to all who ask for it here', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const runId = await scene.create();
    const engine = scene.openEngine();
    const both = Promise.all([engine.execute(runId), engine.execute(runId)]);
    await settle();
    expect(await scene.openEngine().execute(runId)).toBe('elsewhere');
    expect(await scene.openEngine().execute('none')).toBe('elsewhere');
    scene.call('a#1').resolve(1);
    expect(await both).toEqual(['ended', 'ended']);
    expect(scene.calls).toHaveLength(1);
  });

  it('fails a run whose coroutine or activity throws, because that is a bug', async () => {
    const scene = new EngineScene({
      coroutine: async (scope, run) => {
        if (run.runId === 'a') throw new Error('in the coroutine');
        scope.step('a#1', 'call', null);
        // Nothing is asked for a second time, so the second `next` would wait for ever.
        await scope.next();
        if (run.runId === 'c') await scope.next();
        return { status: 'succeeded', outcome: null };
      },
    });
    const engine = scene.openEngine();
    const ids = await Promise.all(['a', 'b', 'c'].map((runId) => scene.create({ runId })));
    const ended = Promise.all(ids.map((runId) => engine.execute(runId)));
    await settle();
    scene.calls.find(({ runId }) => runId === 'b')?.reject(new Error('in the activity'));
    scene.calls.find(({ runId }) => runId === 'c')?.resolve(1);
    expect(await ended).toEqual(['ended', 'ended', 'ended']);
    const messages = await Promise.all(
      ids.map(async (runId) => (await scene.record(runId)).outcome),
    );
    expect(messages).toMatchObject([
      { kind: 'failed', step: null, error: { code: 'internal.bug', message: 'in the coroutine' } },
      { error: { message: 'in the activity' } },
      { error: { message: 'The coroutine waits although nothing is under way' } },
    ]);
  });

  it('executes so many at once as it may; the others stay queued, and beyond a line nobody waits', async () => {
    const limits = { maxRuns: 1, maxQueued: 1 };
    const scene = new EngineScene({ coroutine: inSequence('a#1'), limits });
    const engine = scene.openEngine();
    for (const runId of ['x', 'y', 'z']) await scene.create({ runId });
    const first = engine.execute('x');
    await settle();
    const second = engine.execute('y');
    expect(await engine.execute('z')).toBe('queued');
    await settle();
    expect(await scene.record('y')).toMatchObject({ status: 'queued' });
    scene.call('a#1').resolve(1);
    expect(await first).toBe('ended');
    await settle();
    scene.call('a#1').resolve(1);
    expect(await second).toBe('ended');
    expect(await scene.record('z')).toMatchObject({ status: 'queued' });
  });

  it('tells who listens about commits and progress, and what is under way', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = scene.openEngine();
    const heard: (string | null)[] = [];
    const stop = engine.onChange((runId) => heard.push(runId));
    const runId = await scene.create();
    const ended = engine.execute(runId);
    await settle();
    heard.length = 0;
    const startedAtMs = scene.timers.now();
    expect(engine.underway(runId)).toEqual([{ key: 'a#1', startedAtMs }]);
    scene.call('a#1').onProgress({ progress: 1, total: 2 });
    expect(engine.underway(runId)).toMatchObject([{ progress: { progress: 1, total: 2 } }]);
    expect(heard).toEqual([runId]);
    scene.call('a#1').resolve(1);
    await ended;
    expect(engine.underway(runId)).toEqual([]);
    heard.length = 0;
    await scene.create({ runId: 'run2' });
    await scene.timers.pass(100);
    expect(heard).toEqual([null]);
    stop();
    await scene.create({ runId: 'run3' });
    await scene.timers.pass(100);
    expect(heard).toEqual([null]);
  });

  it('goes on when somebody who listens throws', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = scene.openEngine();
    engine.onChange(() => {
      throw new Error('not my day');
    });
    const runId = await scene.create();
    const ended = engine.execute(runId);
    await settle();
    scene.call('a#1').resolve(1);
    expect(await ended).toBe('ended');
    expect(await scene.settledKeys(runId)).toEqual(['a#1']);
    expect(scene.logged).toContainEqual({
      message: 'run listener threw',
      fields: { runId, error: new Error('not my day') },
    });
  });

  it('notes as begun only what takes long', async () => {
    const scene = new EngineScene({ coroutine: inSequence('short#1', 'long#1') });
    const runId = await scene.create();
    void scene.openEngine().execute(runId);
    await scene.timers.pass(40);
    scene.call('short#1').resolve(1);
    await settle();
    const atMs = scene.timers.now();
    await scene.timers.pass(1_000);
    const entries = await scene.store.journal(runId);
    expect(entries.filter(({ kind }) => kind === 'began')).toEqual([
      { kind: 'began', key: 'long#1', atMs },
    ]);
  });
});

describe('closing', () => {
  it('gives everything back without recording it, so that another process goes on at once', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1', 'b#1'), limits: { maxRuns: 1 } });
    const engine = scene.openEngine();
    await scene.create({ runId: 'x' });
    await scene.create({ runId: 'y' });
    const ended = Promise.all([engine.execute('x'), engine.execute('y')]);
    await settle();
    scene.call('a#1').resolve(1);
    await settle();
    await engine.close();
    expect(await ended).toEqual(['let-go', 'let-go']);
    expect(await engine.execute('x')).toBe('let-go');
    expect(await engine.resumeAll()).toBe(0);
    expect(scene.call('b#1').signal.aborted).toBe(true);
    expect(await scene.record('x')).toMatchObject({ status: 'running', request: null });
    expect(await scene.settledKeys('x')).toEqual(['a#1']);
    expect(await scene.store.unclaimed('embedded', 9)).toEqual(['x', 'y']);
  });
});

describe('a store that fails', () => {
  interface Faults {
    commits: number;
    error: Error;
    journal: boolean;
  }

  class Busy extends Error {}

  function aFailingScene(faults: Faults): EngineScene {
    return new EngineScene({
      coroutine: inSequence('a#1'),
      wrap: (store) => {
        const { commit, journal } = {
          commit: store.commit.bind(store),
          journal: store.journal.bind(store),
        };
        store.commit = async (changes, durability) => {
          if (faults.commits > 0 && changes.some(({ lease }) => lease.runId === 'bad')) {
            faults.commits -= 1;
            throw faults.error;
          }
          return commit(changes, durability);
        };
        store.journal = async (runId) => {
          if (faults.journal) throw new Error('unreadable');
          return journal(runId);
        };
        return store;
      },
    });
  }

  it('is tried again, and nobody notices', async () => {
    const { StoreBusyError } = await import('../../store/errors.ts');
    const error = new StoreBusyError('tutti.db', new Busy());
    const scene = aFailingScene({ commits: 3, error, journal: false });
    const ended = scene.openEngine().execute(await scene.create({ runId: 'bad' }));
    await settle();
    scene.call('a#1').resolve(1);
    await scene.timers.pass(2_000);
    expect(await ended).toBe('ended');
    expect(scene.logged).toHaveLength(3);
  });

  it('costs only the run that cannot be written, which is let go and left alone for a while', async () => {
    const scene = aFailingScene({ commits: 1_000, error: new Error('too big'), journal: false });
    const engine = scene.openEngine();
    engine.start();
    const ids = ['bad', 'good'];
    for (const runId of ids) await scene.create({ runId });
    const ended = Promise.all(ids.map((runId) => engine.execute(runId)));
    await settle();
    for (const call of scene.calls) call.resolve(1);
    expect(await ended).toEqual(['let-go', 'ended']);
    expect(scene.logged).toMatchObject([{ message: 'failed to commit run, releasing it' }]);
    expect(await scene.store.unclaimed('embedded', 9)).toEqual(['bad']);
    await scene.timers.pass(30_000);
    expect(scene.calls).toHaveLength(2);
    await scene.timers.pass(40_000);
    expect(scene.calls).toHaveLength(3);
  });

  it('lets a run go that cannot be read', async () => {
    const faults = { commits: 0, error: new Error(), journal: true };
    const scene = aFailingScene(faults);
    const runId = await scene.create();
    expect(await scene.openEngine().execute(runId)).toBe('let-go');
    expect(scene.logged).toMatchObject([{ message: 'failed to load run, releasing it' }]);
    expect(await scene.store.unclaimed('embedded', 9)).toEqual([runId]);
  });
});
