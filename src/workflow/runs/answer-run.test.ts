import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { gated } from '../../../testkit/workflow/runs/some-plans.ts';
import { someWorkflows, untilAborted } from '../../../testkit/workflow/runs/some-workflows.ts';

describe('an approval', () => {
  it('is waited for, and the call is made after it was given', async () => {
    const { run, workflows, follow, calls } = someWorkflows();
    const view = await run(gated);
    expect(view.status).toBe('waiting');
    expect(view.waitingFor).toMatchObject([
      {
        kind: 'approval',
        step: 'change',
        message: 'Go?',
        tool: 'test.effect',
        arguments: { n: 1 },
      },
    ]);
    expect(calls).toEqual(['test.echo']);
    await workflows.decide(localCaller, view.runId, { verdict: 'approved' });
    expect(await follow(view.runId)).toMatchObject({ status: 'succeeded' });
    expect(calls).toEqual(['test.echo', 'test.effect']);
  });

  it('that is denied fails the run, and nothing is called', async () => {
    const { run, workflows, follow, calls } = someWorkflows();
    const { runId } = await run(gated);
    await workflows.decide(localCaller, runId, { step: 'change', verdict: 'denied', reason: 'no' });
    const view = await follow(runId);
    expect(view).toMatchObject({ status: 'failed', error: { code: 'workflow.approval_denied' } });
    expect(calls).toEqual(['test.echo']);
  });

  it('cannot be given where none is asked for, or where it is not clear which', async () => {
    const { run, workflows } = someWorkflows();
    const two = { steps: ['a', 'b'].map((id) => ({ id, tool: 'test.effect', approval: true })) };
    const { runId } = await run(two);
    const decide = (step?: string): Promise<void> =>
      workflows.decide(localCaller, runId, { verdict: 'approved', ...(step && { step }) });
    await expect(decide()).rejects.toMatchObject({ code: 'workflow.not_waiting_for_that' });
    await expect(decide()).rejects.toThrow('Name the step: a, b');
    await expect(decide('c')).rejects.toMatchObject({ code: 'workflow.unknown_step' });
    await decide('a');
    const { runId: other } = await run({ steps: [{ id: 'w', wait: 'go' }] });
    const decided = workflows.decide(localCaller, other, { verdict: 'approved' });
    await expect(decided).rejects.toThrow('It waits for: signal of "w"');
  });

  it('cannot be given by a signal', async () => {
    const { run, workflows } = someWorkflows();
    const { runId, waitingFor } = await run(gated);
    const [wait] = waitingFor;
    const id = wait?.kind === 'approval' ? wait.approvalId : '';
    for (const name of [`approval:${id}`, 'resolve:change', 'repair:change:1', '']) {
      const forged = workflows.signal(localCaller, runId, name, { verdict: 'approved' });
      await expect(forged).rejects.toMatchObject({ code: 'workflow.reserved_signal' });
    }
    expect((await workflows.show(localCaller, runId)).status).toBe('waiting');
  });
});

describe('an answer to a run that is over', () => {
  it.each([
    ['repair', 'it cannot be repaired'],
    ['resolve', 'it cannot be resolved'],
    ['decide', 'it cannot be approved'],
    ['signal', 'it cannot be signalled'],
    ['cancel', 'it cannot be cancelled'],
  ] as const)('%s: %s', async (verb, message) => {
    const { run, workflows } = someWorkflows();
    const { runId } = await run({ steps: [{ id: 'a', tool: 'test.echo', args: { n: 1 } }] });
    const ask = {
      repair: () => workflows.repair(localCaller, runId, 'a', {}),
      resolve: () => workflows.resolve(localCaller, runId, 'a', { kind: 'happened' }),
      decide: () => workflows.decide(localCaller, runId, { verdict: 'approved' }),
      signal: () => workflows.signal(localCaller, runId, 'go', 1),
      cancel: () => workflows.cancel(localCaller, runId),
    };
    await expect(ask[verb]()).rejects.toThrow(message);
  });
});

describe('a signal', () => {
  it('ends the wait for it, and its first value counts', async () => {
    const { run, workflows, follow } = someWorkflows();
    const { runId, status } = await run({ steps: [{ id: 'w', wait: 'go' }], output: '${w}' });
    expect(status).toBe('waiting');
    await workflows.signal(localCaller, runId, 'go', { by: 'me' });
    const again = workflows.signal(localCaller, runId, 'go', { by: 'you' });
    const refused = await again.then(
      () => undefined,
      (error: unknown) => error,
    );
    // The run may be over by now, which is as good a reason.
    expect(refused).toMatchObject({ code: expect.stringMatching(/not_waiting|run_is_over/) });
    expect(await follow(runId)).toMatchObject({ status: 'succeeded', output: { by: 'me' } });
    const late = workflows.signal(localCaller, runId, 'other', 1);
    await expect(late).rejects.toMatchObject({ code: 'workflow.run_is_over' });
  });

  it('that no step ever waits for is refused, and the one that was meant proposed', async () => {
    const { run, workflows, follow } = someWorkflows();
    const { runId } = await run({
      steps: [
        { id: 'first', wait: 'release' },
        {
          id: 'inner',
          plan: { steps: [{ id: 'w', wait: { signal: 'deploy' } }] },
          when: '${first.go}',
        },
      ],
    });
    const typo = workflows.signal(localCaller, runId, 'relase', {});
    await expect(typo).rejects.toMatchObject({ code: 'workflow.unknown_signal' });
    await expect(typo).rejects.toThrow('Did you mean "release"?');
    // Before its step waits, and inside a sub-plan: taken.
    await workflows.signal(localCaller, runId, 'deploy', 1);
    await workflows.signal(localCaller, runId, 'release', { go: true });
    expect(await follow(runId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('repair', () => {
  it('goes on with corrected arguments', async () => {
    const { run, workflows, follow } = someWorkflows({
      tools: {
        fail: async ({ x }) => {
          if (x === 1) throw new Error('not one');
          return { x };
        },
      },
    });
    const { runId, waitingFor } = await run({
      steps: [{ id: 'r', tool: 'test.fail', args: { x: 1 }, onFailure: 'repair' }],
    });
    expect(waitingFor).toMatchObject([
      { kind: 'repair', step: 'r', error: { message: expect.stringContaining('not one') } },
    ]);
    const wrongKind = workflows.resolve(localCaller, runId, 'r', { kind: 'not-happened' });
    await expect(wrongKind).rejects.toMatchObject({ code: 'workflow.not_waiting_for_that' });
    await workflows.repair(localCaller, runId, 'r', { x: 2 });
    expect(await follow(runId)).toMatchObject({
      status: 'succeeded',
      steps: { r: { output: { x: 2 } } },
    });
  });
});

describe('an answer', () => {
  it('to a step that runs anew does not count again', async () => {
    const { run, workflows, follow } = someWorkflows({
      tools: { fail: async (_args, { number }) => Promise.reject(new Error(`rain ${number}`)) },
    });
    const plan = { steps: [{ id: 'r', tool: 'test.fail', onFailure: 'repair' }] };
    const { runId } = await run(plan);
    await workflows.repair(localCaller, runId, 'r', null);
    expect((await follow(runId)).status).toBe('failed');
    await workflows.retry(localCaller, runId);
    expect(await follow(runId)).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'repair' }],
    });
  });

  it('cannot take a cancellation back', async () => {
    const { run, workflows, parts } = someWorkflows({ isStaying: false });
    const { runId } = await run(gated);
    await parts.store.request(runId, 'cancel');
    const resumed = workflows.resume(localCaller, runId);
    await expect(resumed).rejects.toMatchObject({ code: 'workflow.not_waiting_for_that' });
  });
});

describe('an effect nobody knows the outcome of', () => {
  const plan = { steps: [{ id: 'pay', tool: 'test.effect', args: { n: 1 }, timeoutMs: 50 }] };
  const lost = {
    effect: (_args: unknown, { signal, number }: { signal: AbortSignal; number: number }) =>
      number > 1 ? Promise.resolve({ paid: true }) : untilAborted(signal),
  };

  it('is asked about, and counts as somebody says who looked', async () => {
    const { run, workflows, follow, calls } = someWorkflows({ tools: lost });
    const { runId, status, waitingFor } = await run(plan);
    expect(status).toBe('waiting');
    expect(waitingFor).toMatchObject([{ kind: 'resolve', step: 'pay', tool: 'test.effect' }]);
    await workflows.resolve(localCaller, runId, 'pay', { kind: 'happened', output: { paid: 1 } });
    expect(await follow(runId)).toMatchObject({
      status: 'succeeded',
      steps: { pay: { output: { paid: 1 } } },
    });
    expect(calls).toHaveLength(1);
  });

  it('is made again when it did not happen', async () => {
    const { run, workflows, follow, calls } = someWorkflows({ tools: lost });
    const { runId } = await run(plan);
    await workflows.resolve(localCaller, runId, 'pay', { kind: 'not-happened' });
    expect(await follow(runId)).toMatchObject({
      status: 'succeeded',
      steps: { pay: { output: { paid: true } } },
    });
    expect(calls).toHaveLength(2);
  });
});
