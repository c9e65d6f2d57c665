import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { anEffectRow } from '../../../testkit/workflow/effects/rows.ts';
import { chain, gated } from '../../../testkit/workflow/runs/some-plans.ts';
import { someWorkflows, untilAborted } from '../../../testkit/workflow/runs/some-workflows.ts';

describe('cancelling', () => {
  it('reaches the tool that runs, and ends the run', async () => {
    const reasons: unknown[] = [];
    const { workflows } = someWorkflows({
      tools: {
        hang: (_args, { signal }) =>
          untilAborted(signal).catch((reason: unknown) => {
            reasons.push(reason);
            throw reason;
          }),
      },
    });
    const plan = {
      steps: [
        { id: 'long', tool: 'test.hang' },
        { id: 'after', tool: 'test.echo', args: { x: '${long}' } },
      ],
    };
    const { runId } = await workflows.start(localCaller, {
      source: { kind: 'data', plan },
      input: {},
    });
    await workflows.cancel(localCaller, runId, 'enough');
    const view = await workflows.show(localCaller, runId);
    expect(view).toMatchObject({ status: 'cancelled', waitingFor: [] });
    expect(view.steps['after']?.status).toBe('cancelled');
    // It may not even have begun.
    expect(reasons.length === 1 || view.steps['long']?.startedAt === null).toBe(true);
    const again = workflows.cancel(localCaller, runId);
    await expect(again).rejects.toMatchObject({ code: 'workflow.run_is_over' });
  });

  it('ends a run that waits for somebody', async () => {
    const { run, workflows } = someWorkflows();
    const { runId } = await run(gated);
    await workflows.cancel(localCaller, runId);
    expect((await workflows.show(localCaller, runId)).status).toBe('cancelled');
  });
});

describe('pausing', () => {
  it('holds a run until it is resumed', async () => {
    const { run, workflows, follow } = someWorkflows();
    const { runId } = await run({
      steps: [
        { id: 'w', wait: 'go' },
        { id: 'e', tool: 'test.echo', args: { x: '${w}' } },
      ],
    });
    await workflows.pause(localCaller, runId);
    await workflows.pause(localCaller, runId);
    await workflows.signal(localCaller, runId, 'go', 1);
    expect((await follow(runId)).status).toBe('paused');
    await workflows.resume(localCaller, runId);
    expect((await follow(runId)).status).toBe('succeeded');
    const late = workflows.resume(localCaller, runId);
    await expect(late).rejects.toMatchObject({ code: 'workflow.run_is_over' });
  });
});

describe('trying again', () => {
  const flaky = {
    fail: async (_args: unknown, { number }: { number: number }) => {
      if (number === 1) throw new Error('it rained');
      return { ok: true };
    },
  };
  const plan = {
    steps: [
      { id: 'fine', tool: 'test.echo', args: { x: 1 } },
      { id: 'broken', tool: 'test.fail', args: { x: '${fine.x}' } },
      { id: 'after', tool: 'test.echo', args: { x: '${broken.ok}' } },
    ],
  };

  it('runs what failed and what needs it, and nothing else', async () => {
    const { run, workflows, follow, calls } = someWorkflows({ tools: flaky });
    const failed = await run(plan);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'test.failed' } });
    await workflows.retry(localCaller, failed.runId);
    const view = await follow(failed.runId);
    expect(view).toMatchObject({ status: 'succeeded', steps: { after: { output: { x: true } } } });
    expect(calls).toEqual(['test.echo', 'test.fail', 'test.fail', 'test.echo']);
  });

  it('begins at a step that is named, also when all went well', async () => {
    const { run, workflows, follow, calls } = someWorkflows();
    const { runId } = await run(chain);
    await workflows.retry(localCaller, runId, 'second');
    expect((await follow(runId)).status).toBe('succeeded');
    expect(calls).toHaveLength(3);
    const nothing = workflows.retry(localCaller, runId);
    await expect(nothing).rejects.toMatchObject({ code: 'workflow.not_waiting_for_that' });
    const unknown = workflows.retry(localCaller, runId, 'secont');
    await expect(unknown).rejects.toThrow('Did you mean "second"?');
  });

  it('happens once when two people ask for it at the same time', async () => {
    const { run, workflows, follow, calls } = someWorkflows({
      tools: {
        effect: async (_args, { number }) => {
          if (number === 1) throw new Error('it rained');
          return { ok: true };
        },
      },
    });
    const { runId } = await run({ steps: [{ id: 'pay', tool: 'test.effect' }] });
    const retries = await Promise.allSettled([
      workflows.retry(localCaller, runId),
      workflows.retry(localCaller, runId),
    ]);
    expect(retries.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(retries[1]).toMatchObject({ reason: { code: 'workflow.run_is_taken' } });
    expect((await follow(runId)).status).toBe('succeeded');
    expect(calls).toEqual(['test.effect', 'test.effect']);
  });

  it('asks again at a gate that was passed before: a yes counts once', async () => {
    const { run, workflows, follow } = someWorkflows();
    const { runId } = await run({ steps: [{ id: 'gate', approval: { message: 'Go?' } }] });
    await workflows.decide(localCaller, runId, { verdict: 'approved' });
    expect((await follow(runId)).status).toBe('succeeded');
    await workflows.retry(localCaller, runId, 'gate');
    expect((await follow(runId)).status).toBe('waiting');
  });

  it('needs a run that is over', async () => {
    const { run, workflows } = someWorkflows();
    const { runId } = await run(gated);
    const retried = workflows.retry(localCaller, runId);
    await expect(retried).rejects.toMatchObject({ code: 'workflow.run_is_not_over' });
  });

  it('takes a cancelled run on where it stood', async () => {
    const { run, workflows, follow } = someWorkflows();
    const { runId } = await run({
      steps: [
        { id: 'a', tool: 'test.echo' },
        { id: 'w', wait: 'go' },
      ],
    });
    await workflows.cancel(localCaller, runId);
    await workflows.retry(localCaller, runId);
    expect((await follow(runId)).status).toBe('waiting');
    await workflows.signal(localCaller, runId, 'go', 1);
    expect((await follow(runId)).status).toBe('succeeded');
  });
});

describe('a fork', () => {
  it('takes over what its changes do not reach', async () => {
    const { run, workflows, follow, calls } = someWorkflows();
    const old = await run(chain);
    const { runId } = await workflows.fork(localCaller, old.runId, {
      args: { second: { said: '${first.said}!' } },
    });
    const view = await follow(runId);
    expect(view).toMatchObject({
      status: 'succeeded',
      forkedFrom: old.runId,
      output: { twice: 'hello!' },
    });
    expect(calls).toHaveLength(3);
    expect((await workflows.show(localCaller, old.runId)).output).toEqual({ twice: 'hello hello' });
  });

  it('with other input runs what the input reaches', async () => {
    const { run, workflows, follow, calls } = someWorkflows();
    const old = await run(chain);
    const { runId } = await workflows.fork(localCaller, old.runId, { input: { word: 'bye' } });
    expect(await follow(runId)).toMatchObject({ output: { twice: 'bye bye' } });
    expect(calls).toHaveLength(4);
    const wrong = workflows.fork(localCaller, old.runId, { input: { word: 1 } });
    await expect(wrong).rejects.toMatchObject({ code: 'workflow.invalid_input' });
    const unknown = workflows.fork(localCaller, old.runId, { args: { third: {} } });
    await expect(unknown).rejects.toMatchObject({ code: 'workflow.unknown_step' });
  });
});

describe('a fork of a run whose effect was sent and never answered', () => {
  const paying = {
    steps: [
      { id: 'pay', tool: 'test.effect' },
      { id: 'after', tool: 'test.echo', args: { paid: '${pay.ok}' } },
    ],
  };

  it('asks what became of it, and does not send it again by itself', async () => {
    const sent = Promise.withResolvers<void>();
    const { workflows, follow, calls } = someWorkflows({
      tools: {
        effect: async (_args, { signal }) => {
          sent.resolve();
          return untilAborted(signal);
        },
      },
    });
    const source = { kind: 'data', plan: paying } as const;
    const old = await workflows.start(localCaller, { source, input: {} });
    await sent.promise;
    await workflows.cancel(localCaller, old.runId);
    const { runId } = await workflows.fork(localCaller, old.runId, {});
    expect(await follow(runId)).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'resolve', step: 'pay' }],
    });
    await workflows.resolve(localCaller, runId, 'pay', { kind: 'happened', output: { ok: 1 } });
    expect(await follow(runId)).toMatchObject({ steps: { after: { output: { paid: 1 } } } });
    expect(calls.filter((name) => name === 'test.effect')).toHaveLength(1);
  });

  it('takes over what the ledger knows and the journal does not', async () => {
    const { store, workflows, follow, calls } = someWorkflows({ isStaying: false });
    const { runId } = await store.runs.create({
      runId: 'left-behind',
      callerId: localCaller.id,
      plan: { version: 1, ...paying },
      input: {},
      engine: 'embedded',
      createdAtMs: Date.now(),
      deadlineMs: null,
      forkedFrom: null,
      idempotencyKey: null,
      meta: {},
    });
    const outcome = { kind: 'succeeded', held: { value: { ok: 7 } }, startedAt: 1, endedAt: 2 };
    await store.effects.change({ runId, step: 'pay', durability: 'normal' }, () => ({
      effect: anEffectRow({ runId, step: 'pay', state: 'succeeded', outcome }),
      result: null,
    }));
    const fork = await workflows.fork(localCaller, runId, {});
    expect(await follow(fork.runId)).toMatchObject({
      steps: { after: { output: { paid: 7 } } },
      status: 'succeeded',
    });
    expect(calls).toEqual(['test.echo']);
  });
});

describe('a fork of a plan with a plan in it', () => {
  it('changes arguments of the inner steps by their path', async () => {
    const { run, workflows, follow } = someWorkflows();
    const inner = { steps: [{ id: 'say', tool: 'test.echo', args: { said: 'a' } }] };
    const old = await run({ steps: [{ id: 'outer', plan: inner }] });
    expect(old.steps['outer/say']?.output).toEqual({ said: 'a' });
    const args = { 'outer/say': { said: 'b' } };
    const { runId } = await workflows.fork(localCaller, old.runId, { args });
    expect((await follow(runId)).steps['outer/say']?.output).toEqual({ said: 'b' });
  });
});

describe('a run of another folder', () => {
  it('is neither continued, decided, retried nor forked here, and can be stopped', async () => {
    const home = aDirectory();
    const there = someWorkflows({ home });
    const { runId } = await there.run(gated);
    const { runId: failedId } = await there.run({ steps: [{ id: 'one', tool: 'test.fail' }] });
    const { workflows, follow, calls, store } = someWorkflows({
      home,
      place: '/somewhere/else',
    });
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => workflows.decide(localCaller, runId, { verdict: 'approved' }),
      () => workflows.decide(localCaller, runId, { verdict: 'denied' }),
      () => workflows.resume(localCaller, runId),
      () => workflows.fork(localCaller, runId, {}),
      () => workflows.retry(localCaller, failedId),
      () => workflows.resolve(localCaller, runId, 'one', { kind: 'not-happened' }),
      () => workflows.repair(localCaller, runId, 'one', null),
      () => follow(runId),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'workflow.run_elsewhere',
        message: expect.stringMatching(`belongs to ${home}.*cd ${home} && tutti runs`),
      });
    }
    expect(calls).toEqual([]);
    expect(await store.runs.signals(runId)).toEqual([]);
    expect(await workflows.show(localCaller, runId)).toMatchObject({
      status: 'waiting',
      folder: home,
    });
    await workflows.cancel(localCaller, runId);
    expect((await workflows.show(localCaller, runId)).status).toBe('cancelled');
  });

  it('says so where the folder is not there any more', async () => {
    const home = aDirectory();
    const there = someWorkflows({ home, place: '/gone/for/good' });
    const { runId } = await there.run(gated);
    const { workflows } = someWorkflows({ home });
    await expect(workflows.resume(localCaller, runId)).rejects.toThrow('not there any more');
  });
});
