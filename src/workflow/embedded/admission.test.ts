import { describe, expect, it } from 'vitest';
import { settle } from '../../fleet/testing/manual-timers.ts';
import { aNewRun } from '../testing/a-run.ts';
import type { Admission, EmbeddedEngine } from './embedded-engine.ts';
import { EngineScene, inSequence } from './testing/an-engine.ts';

/** An engine that knows who it is: it has executed a run. */
async function aKnownEngine(
  scene: EngineScene,
  limits: { maxRuns: number },
): Promise<EmbeddedEngine> {
  const engine = scene.openEngine(limits);
  const ended = engine.execute(await scene.create({ runId: 'before' }));
  await settle();
  scene.call('a#1').resolve(1);
  await ended;
  return engine;
}

async function storeFor(scene: EngineScene, admission: Admission, runId: string): Promise<void> {
  await scene.store.create(aNewRun({ runId }), {
    owner: admission.owner,
    onStored: (_runId, claim) => {
      if (claim) admission.take(claim);
    },
  });
}

describe('a place for a run that is about to be stored', () => {
  it('is where the run is executed from the moment it is stored', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = await aKnownEngine(scene, { maxRuns: 1 });
    const admission = engine.admit();
    if (!admission) throw new Error('There is a place');
    await storeFor(scene, admission, 'run1');
    const ended = engine.execute('run1');
    await settle();
    scene.call('a#1').resolve('done');
    expect(await ended).toBe('ended');
    expect(await scene.record('run1')).toMatchObject({ status: 'succeeded', outcome: ['done'] });
  });

  it('is counted until it is used or given up, once', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = await aKnownEngine(scene, { maxRuns: 2 });
    const [first, second] = [engine.admit(), engine.admit()];
    expect(engine.admit()).toBeUndefined();
    second?.giveUp();
    second?.giveUp();
    if (!first) throw new Error('There is a place');
    await storeFor(scene, first, 'run1');
    await storeFor(scene, first, 'another');
    first.giveUp();
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['before', 'run1']);
    const third = engine.admit();
    expect(third).toBeDefined();
    expect(engine.admit()).toBeUndefined();
    third?.giveUp();
  });

  it('is not one of a run that is just being taken on', async () => {
    const claiming = Promise.withResolvers<void>();
    const scene = new EngineScene({
      coroutine: inSequence('a#1'),
      wrap: (store) => {
        const claimAll = store.claimAll.bind(store);
        store.claimAll = async (runIds, owner) => {
          if (runIds.includes('slow')) await claiming.promise;
          return claimAll(runIds, owner);
        };
        return store;
      },
    });
    const engine = await aKnownEngine(scene, { maxRuns: 1 });
    const slow = engine.execute(await scene.create({ runId: 'slow' }));
    await settle();
    expect(engine.admit()).toBeUndefined();
    claiming.resolve();
    await settle();
    expect(engine.admit()).toBeUndefined();
    scene.call('a#1').resolve(1);
    await slow;
    expect(engine.admit()).toBeDefined();
  });

  it('is given back to those in line', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    const engine = await aKnownEngine(scene, { maxRuns: 1 });
    const admission = engine.admit();
    const waiting = engine.execute(await scene.create({ runId: 'waiting' }));
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['before']);
    expect(engine.admit()).toBeUndefined();
    admission?.giveUp();
    await settle();
    scene.call('a#1').resolve(1);
    expect(await waiting).toBe('ended');
  });

  it('is there for nobody before the engine knows who it is, and after it was closed', async () => {
    const scene = new EngineScene({ coroutine: inSequence('a#1') });
    expect(scene.openEngine().admit()).toBeUndefined();
    const engine = await aKnownEngine(scene, { maxRuns: 1 });
    const admission = engine.admit();
    if (!admission) throw new Error('There is a place');
    await engine.close();
    expect(engine.admit()).toBeUndefined();
    await storeFor(scene, admission, 'late');
    await settle();
    expect(scene.calls.map(({ runId }) => runId)).toEqual(['before']);
    expect(await scene.store.unclaimed('embedded', 10)).toEqual(['late']);
  });
});
