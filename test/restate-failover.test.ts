import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { RunView } from '../src/contract/run/index.ts';
import { slowPlan } from './support/restate/engine-plans.ts';
import { openScene, openWorker, skipReason, type Scene } from './support/restate/open-scene.ts';
import { freePort } from './support/restate/restate-server.ts';
import { busiestOf, callsOf, countOf } from './support/restate/run-facts.ts';
import { startStreamProxy } from './support/restate/stream-proxy.ts';
import { startWorker, type WorkerProcess } from './support/restate/start-workers.ts';
import { isProof } from '../testkit/sample.ts';

const why = skipReason === null ? '' : ` (skipped: ${skipReason})`;

/** What became of runs, one of whose workers was killed. */
interface Survival {
  readonly succeeded: number;
  /** How often the effect of each run happened. */
  readonly effects: readonly number[];
}

// `make test` installs the server of Restate; `npm test` alone does without.
describe.skipIf(skipReason !== null)(`runs whose worker goes${why}`, { timeout: 60_000 }, () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  it('leaves a call that takes too long when its worker has to go, and another worker makes it', async () => {
    const limits = { cancelGraceMs: 100 };
    const [port, called] = [await freePort(), countOf(scene.tools, 'slow')];
    const first = await openWorker({ ...scene.options, limits }, port);
    const runId = await scene.start({
      steps: [{ id: 'slow', tool: 't.slow', args: { ms: 2_000 } }],
    });
    await scene.tools.untilCalled('slow', called + 1);
    await first.close();
    const second = await openWorker(scene.options, port);
    expect(await scene.follow(runId)).toMatchObject({ status: 'succeeded' });
    expect(callsOf(scene.tools, runId)).toEqual([['slow', 2]]);
    await second.close();
  });

  describe('with three workers, one of which is killed', () => {
    const runs = isProof ? 50 : 12;
    const allOfThem = { succeeded: runs, effects: Array.from({ length: runs }, () => 1) };

    const killOneMidway = async (workers: readonly WorkerProcess[]): Promise<Survival> => {
      const called = countOf(scene.tools, 'slow');
      const runIds = await Promise.all(Array.from({ length: runs }, () => scene.start(slowPlan)));
      await scene.tools.untilCalled('slow', called + Math.ceil(runs / 2));
      const victim = busiestOf(scene.rig, workers);
      process.kill(victim.process.pid, 'SIGKILL');
      const views = await Promise.all(
        runIds.map((runId) => scene.follow(runId).then(resolveUnknown)),
      );
      const effects = runIds.flatMap((runId) =>
        callsOf(scene.tools, runId).filter(([tool]) => tool === 'once'),
      );
      return {
        succeeded: views.filter(({ status }) => status === 'succeeded').length,
        effects: effects.map(([, count]) => count),
      };
    };

    /** Nobody may repeat an effect that was under way when its worker died: a person looks whether it happened. */
    const resolveUnknown = async (view: RunView): Promise<RunView> => {
      if (view.waitingFor[0]?.kind !== 'resolve') return view;
      const hasHappened = callsOf(scene.tools, view.runId).some(([tool]) => tool === 'once');
      const resolution = hasHappened
        ? ({ kind: 'happened', output: { did: 'it' } } as const)
        : ({ kind: 'not-happened' } as const);
      await scene.rig.workflows.resolve(localCaller, view.runId, 'do', resolution);
      return scene.follow(view.runId);
    };

    it('finishes all runs behind a proxy, and repeats only what may be repeated', async () => {
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const proxy = await startStreamProxy(ports.map((port) => `http://127.0.0.1:${port}`));
      const workers = await Promise.all(
        ports.map((port) => startWorker(scene.owner, { ...scene.options, port, url: proxy.url })),
      );
      expect(await killOneMidway(workers)).toEqual(allOfThem);
      for (const worker of workers) await worker.process.stop(5_000);
      await proxy.close();
    });

    it('finishes all runs when they share a port', async () => {
      const port = await freePort();
      const workers = await Promise.all(
        [1, 2, 3].map(() => startWorker(scene.owner, { ...scene.options, port })),
      );
      expect(await killOneMidway(workers)).toEqual(allOfThem);
      for (const worker of workers) await worker.process.stop(5_000);
    });
  });
});
