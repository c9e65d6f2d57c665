import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { EngineName } from '../src/contract/run/index.ts';
import { ownIdentity } from '../src/kernel/index.ts';
import { examineRestate, type RestateWorker } from '../src/workflow/restate/index.ts';
import { enginePlans, slowPlan, type EnginePlan } from './support/restate/engine-plans.ts';
import { openScene, openWorker, skipReason, type Scene } from './support/restate/open-scene.ts';
import {
  callsOf,
  countOf,
  untilLeft,
  untilOver,
  withoutTimes,
} from './support/restate/run-facts.ts';

const why = skipReason === null ? '' : ` (skipped: ${skipReason})`;
const maxAnswers = 5;

// `make test` installs the server of Restate; `npm test` alone does without.
describe.skipIf(skipReason !== null)(`runs on Restate${why}`, { timeout: 60_000 }, () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  const runOn = async (engine: EngineName, { plan, input, answer }: EnginePlan) => {
    const runId = await scene.start(plan, { engine, ...(input && { input }) });
    let view = await scene.follow(runId);
    for (let given = 0; given < maxAnswers && view.status === 'waiting'; given += 1) {
      await answer?.(scene.rig.workflows, view);
      view = await scene.follow(runId);
    }
    return withoutTimes(view, scene.tools);
  };

  describe('before there is a worker', () => {
    it('is examined as running and without workers', async () => {
      const health = await examineRestate({ ...scene.server, requestMs: 5_000 });
      expect(health).toMatchObject({ isHealthy: false, fix: expect.stringContaining('worker') });
      expect(health.message).toMatch(/^Restate 1\.\d+\.\d+ at .*: it knows of no worker$/);
    });

    it('refuses what another server asks', async () => {
      const identityKey = 'publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9';
      const worker = openWorker({ ...scene.options, identityKey });
      await expect(worker).rejects.toMatchObject({ code: 'workflow.restate_refused' });
    });

    it('keeps a run until there is one', async () => {
      const plan = { steps: [{ id: 'sum', tool: 't.add', args: { a: 1, b: 2 } }] };
      await expect(scene.start(plan)).rejects.toMatchObject({ code: 'workflow.restate_no_worker' });
      const [stored] = await scene.rig.workflows.list(localCaller, { limit: 10 });
      expect(stored).toMatchObject({ status: 'queued', engine: 'restate' });
      const worker = await openWorker(scene.options);
      expect(await scene.follow(stored?.runId ?? '')).toMatchObject({
        output: { sum: { sum: 3 } },
      });
      await worker.close();
    });
  });

  describe('with a worker', () => {
    let worker: RestateWorker;
    beforeAll(async () => {
      // So short that runs which wait are taken from the worker and replayed later.
      worker = await openWorker({ ...scene.options, limits: { inactivityMs: 200 } });
    });
    afterAll(() => worker.close());

    it('is examined as healthy', async () => {
      const health = await examineRestate({ ...scene.server, requestMs: 5_000 });
      expect(health.isHealthy).toBe(true);
      expect(health.message).toContain(`workers answer at ${worker.url}`);
    });

    it.each(enginePlans)('comes to the same as embedded: $name', async (plan) => {
      expect(await runOn('restate', plan)).toEqual(await runOn('embedded', plan));
    });

    it('starts one run for one idempotency key', async () => {
      const wanted = {
        source: {
          kind: 'data',
          plan: { steps: [{ id: 'do', tool: 't.once', args: { what: 'k' } }] },
        },
        input: {},
        engine: 'restate',
        idempotencyKey: 'the key',
      } as const;
      const { runId } = await scene.rig.workflows.start(localCaller, wanted);
      expect(await scene.rig.workflows.start(localCaller, wanted)).toEqual({ runId });
      expect(await scene.follow(runId)).toMatchObject({ status: 'succeeded' });
      expect(callsOf(scene.tools, runId)).toEqual([['once', 1]]);
    });

    it('goes on from where it was after being taken from its worker', async () => {
      const runId = await scene.start({
        steps: [
          { id: 'do', tool: 't.once', args: { what: 'first' } },
          { id: 'go', wait: 'go' },
          { id: 'sum', tool: 't.add', args: { a: '${go}', b: 1 } },
          { id: 'end', sleep: 500 },
        ],
      });
      expect(await scene.follow(runId)).toMatchObject({ status: 'waiting' });
      await untilLeft(scene.rig, runId);
      await scene.rig.workflows.signal(localCaller, runId, 'go', 7);
      const view = await scene.follow(runId);
      expect(view).toMatchObject({ status: 'succeeded', steps: { sum: { output: { sum: 8 } } } });
      expect(callsOf(scene.tools, runId)).toEqual([
        ['add', 1],
        ['once', 1],
      ]);
    });

    it('lets the first value of a signal count', async () => {
      const runId = await scene.start({ steps: [{ id: 'go', wait: 'go' }] });
      await scene.rig.workflows.signal(localCaller, runId, 'go', 'first');
      await scene.rig.workflows.signal(localCaller, runId, 'go', 'second').catch(() => {});
      expect(await scene.follow(runId)).toMatchObject({ steps: { go: { output: 'first' } } });
    });

    it('is cancelled while a tool runs, whose call is aborted', async () => {
      const runId = await scene.start({
        steps: [{ id: 'slow', tool: 't.slow', args: { ms: 20_000 } }],
      });
      await scene.tools.untilCalled('slow', 1);
      await scene.rig.workflows.cancel(localCaller, runId, 'enough');
      const record = await scene.rig.store.runs.find(localCaller, runId);
      expect(record).toMatchObject({ status: 'cancelled', outcome: { reason: 'enough' } });
    });

    it('tries again what failed, and keeps the rest', async () => {
      const runId = await scene.start({
        steps: [
          { id: 'do', tool: 't.once', args: { what: 'kept' } },
          { id: 'flaky', tool: 't.flaky', args: { failures: 1, after: '${do.did}' } },
        ],
      });
      expect(await scene.follow(runId)).toMatchObject({ status: 'failed' });
      await scene.rig.workflows.retry(localCaller, runId);
      // The second round has an effect id of its own, which fails once, too.
      expect(await scene.follow(runId)).toMatchObject({ status: 'failed' });
      expect(callsOf(scene.tools, runId).find(([tool]) => tool === 'once')).toEqual(['once', 1]);
    });

    it('takes over what a cancelled run did when that is tried again', async () => {
      const runId = await scene.start({
        steps: [
          { id: 'do', tool: 't.once', args: { what: 'kept' } },
          { id: 'go', wait: 'go' },
        ],
      });
      expect(await scene.follow(runId)).toMatchObject({ status: 'waiting' });
      await scene.rig.workflows.cancel(localCaller, runId);
      await scene.rig.workflows.retry(localCaller, runId);
      await scene.rig.workflows.signal(localCaller, runId, 'go', 1);
      expect(await scene.follow(runId)).toMatchObject({ status: 'succeeded' });
      expect(callsOf(scene.tools, runId)).toEqual([['once', 1]]);
    });

    it('pauses after what is under way, and goes on when it is resumed', async () => {
      const called = countOf(scene.tools, 'slow');
      const runId = await scene.start({
        steps: [
          { id: 'slow', tool: 't.slow', args: { ms: 300 } },
          { id: 'sum', tool: 't.add', args: { a: '${slow.slept}', b: 1 } },
        ],
      });
      await scene.tools.untilCalled('slow', called + 1);
      await scene.rig.workflows.pause(localCaller, runId);
      expect(await scene.rig.workflows.show(localCaller, runId)).toMatchObject({
        status: 'paused',
      });
      await scene.rig.workflows.resume(localCaller, runId);
      expect(await scene.follow(runId)).toMatchObject({ status: 'succeeded' });
      expect(callsOf(scene.tools, runId)).toEqual([
        ['add', 1],
        ['slow', 1],
      ]);
    });

    it('is cancelled though it is paused', async () => {
      const runId = await scene.start({ steps: [{ id: 'go', wait: 'go' }] });
      expect(await scene.follow(runId)).toMatchObject({ status: 'waiting' });
      await scene.rig.workflows.pause(localCaller, runId);
      await scene.rig.workflows.cancel(localCaller, runId);
      expect(await scene.rig.workflows.show(localCaller, runId)).toMatchObject({
        status: 'cancelled',
      });
    });

    it('fails when its time is over', async () => {
      const runId = await scene.start({ timeoutMs: 150, steps: [{ id: 'go', wait: 'go' }] });
      await untilOver(scene.rig, runId);
      expect(await scene.follow(runId)).toMatchObject({
        status: 'failed',
        error: { code: 'workflow.run_timed_out' },
      });
    });

    it('ends as cancelled when somebody cancels it with tools of Restate', async () => {
      const runId = await scene.start({ steps: [{ id: 'go', wait: 'go' }] });
      expect(await scene.follow(runId)).toMatchObject({ status: 'waiting' });
      const again = await fetch(`${scene.server.ingressUrl}/tutti-run/${runId}/run/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      const { invocationId } = (await again.json()) as { invocationId: string };
      await fetch(`${scene.server.adminUrl}/invocations/${invocationId}/cancel`, {
        method: 'PATCH',
      });
      await untilOver(scene.rig, runId);
      expect(await scene.rig.workflows.show(localCaller, runId)).toMatchObject({
        status: 'cancelled',
      });
    });

    it('does nothing more for a run that is over', async () => {
      const runId = await scene.start({
        steps: [
          { id: 'go', wait: 'go' },
          { id: 'do', tool: 't.once', args: { what: '${go}' } },
        ],
      });
      expect(await scene.follow(runId)).toMatchObject({ status: 'waiting' });
      await untilLeft(scene.rig, runId);
      const { runs } = scene.rig.store;
      const [lease] = await runs.claim([runId], {
        ...(await ownIdentity()),
        id: 'me',
        leaseMs: 9_999,
      });
      if (!lease) throw new Error('nobody has it');
      await runs.commit([{ lease, entries: [], status: 'failed', outcome: {} }], 'normal');
      await scene.rig.restate.signalled(runId, { name: 'go', payload: 1 });
      const output = `${scene.server.ingressUrl}/restate/workflow/tutti-run/${runId}/attach`;
      expect((await fetch(output)).status).toBe(500);
      expect(callsOf(scene.tools, runId)).toEqual([]);
    });

    it('refuses what is no run of this data directory', async () => {
      const unknown = scene.rig.restate.requested('nothing', 'cancel');
      await expect(unknown).rejects.toMatchObject({ code: 'workflow.run_not_here' });
    });

    it('refuses input that nobody understands, for good', async () => {
      const answer = await fetch(`${scene.server.ingressUrl}/tutti-run/odd/run`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"runId": 1}',
      });
      expect(answer.status).toBe(400);
    });

    it('says clearly that the port is taken', async () => {
      const { port } = new URL(scene.options.toolsUrl);
      const taken = scene.rig.restate.serveWorker({ host: '127.0.0.1', port: Number(port) });
      await expect(taken).rejects.toMatchObject({ code: 'workflow.worker_address' });
    });

    it('finishes all runs when the server is killed and started again', async () => {
      const called = countOf(scene.tools, 'once');
      const runIds = await Promise.all(Array.from({ length: 5 }, () => scene.start(slowPlan)));
      await scene.tools.untilCalled('once', called + 3);
      await scene.server.kill();
      const down = scene.start(slowPlan);
      await expect(down).rejects.toMatchObject({ code: 'workflow.restate_unreachable' });
      const health = await examineRestate({ ...scene.server, requestMs: 1_000 });
      expect(health).toMatchObject({ isHealthy: false, fix: expect.stringContaining('Start') });
      await scene.server.restart();
      const views = await Promise.all(runIds.map((runId) => scene.follow(runId)));
      expect(views.map(({ status }) => status)).toEqual(runIds.map(() => 'succeeded'));
    });
  });
});
