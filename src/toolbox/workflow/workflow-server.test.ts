import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import { errorMetaKey } from '../../contract/tool/index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import {
  aWorkflowServer,
  ended,
  ForeignError,
  plan,
  structuredOf,
} from '../../../testkit/toolbox/workflow/a-workflow-server.ts';
import { aStep, type FakeWorkflows } from '../../../testkit/toolbox/workflow/fake-workflows.ts';

const stranger = { id: 'stranger' };

describe('the workflow server', () => {
  it('has tools with schemas, annotations and examples, and none that approves', async () => {
    const tools = await aWorkflowServer().server.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'check_plan',
      'run_plan',
      'list_runs',
      'get_run',
      'read_artifact',
    ]);
    for (const { name, _meta, annotations, outputSchema } of tools) {
      expect(_meta?.['tutti/examples']).not.toEqual([]);
      expect(annotations?.readOnlyHint).toBe(name !== 'run_plan');
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
    expect(tools[1]).toMatchObject({
      annotations: { destructiveHint: true, idempotentHint: false },
      execution: { taskSupport: 'optional' },
    });
  });
});

describe('check_plan', () => {
  it('gives what is wrong with a plan, and a drawing of one that is right', async () => {
    const { server, workflows } = aWorkflowServer();
    const problem = {
      step: 'a',
      path: 'steps[0].tool',
      line: 3,
      code: 'plan.unknown_tool',
      message: 'There is no tool "x"',
      severity: 'error',
    } as const;
    const warning = { ...problem, severity: 'warning', step: null, line: null } as const;
    workflows.checked = { ...workflows.checked, ok: false, errors: [problem], warnings: [warning] };
    const wrong = await server.callTool('check_plan', { plan: 'steps: []' }, aCallContext());
    expect(wrong.structuredContent).toMatchObject({ ok: false, errors: [problem] });
    expect(wrong.content[0]?.['text']).toBe(
      'The plan cannot run.\n' +
        'error plan.unknown_tool at step a, steps[0].tool, line 3: There is no tool "x"\n' +
        'warning plan.unknown_tool at steps[0].tool: There is no tool "x"',
    );
    const right = { ok: true, errors: [], warnings: [], edges: [['a', 'b']] as const };
    workflows.checked = { ...right, optimizations: ['dropped c'], plan: { version: 1, steps: [] } };
    const good = await server.callTool('check_plan', { plan, optimize: true }, aCallContext());
    expect(good.structuredContent).toMatchObject({ ...right, drawing: 'a ── b' });
    expect(good.content[0]?.['text']).toBe('The plan can run.\ndropped c\n\na ── b');
  });

  it('shows a bounded number of problems and counts the others', async () => {
    const { server, workflows } = aWorkflowServer();
    const problem = { step: null, path: '', line: null, code: 'plan.x', message: 'no' };
    const errors = Array.from({ length: 500 }, () => ({ ...problem, severity: 'error' }) as const);
    workflows.checked = { ...workflows.checked, ok: false, errors };
    const result = await server.callTool('check_plan', { plan }, aCallContext());
    expect(result.structuredContent).toMatchObject({ omittedProblems: 400 });
    expect(result.content[0]?.['text']).toContain('… and 400 more');
  });
});

describe('run_plan', () => {
  it('waits for the end, tells how far it is and returns the run', async () => {
    const { server, workflows } = aWorkflowServer();
    const updates: ProgressUpdate[] = [];
    const context = aCallContext({ progress: (update) => updates.push(update) });
    const call = server.callTool('run_plan', { plan, input: { x: 1 } }, context);
    await workflows.untilFollowed();
    workflows.change('run-1', { steps: { a: aStep('running'), b: aStep('pending') } });
    workflows.change('run-1', {
      steps: {
        a: aStep('running', { progress: { progress: 1, message: 'half\nway' } }),
        b: aStep('running', { items: { total: 9, done: 4 } }),
      },
    });
    workflows.change('run-1', {
      steps: { a: aStep('succeeded', { output: 1 }), b: aStep('running') },
    });
    workflows.change('run-1', ended);
    const result = await call;
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      runId: 'run-1',
      status: 'succeeded',
      steps: { a: { status: 'succeeded', output: 1 } },
      totalSteps: 2,
      doneSteps: 2,
      output: { total: 3 },
    });
    expect(result.content[0]?.['text']).toBe(
      'Run run-1 (demo): succeeded, 2 of 2 steps done\noutput: {"total":3}',
    );
    expect(workflows.started).toMatchObject([{ source: { kind: 'data', plan }, input: { x: 1 } }]);
    expect(updates.map(({ message }) => message)).toEqual([
      'running',
      'running: a',
      'running: a (half), b 4/9',
      'running: b',
      'succeeded',
    ]);
    const numbers = updates.map(({ progress }) => progress);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(updates.at(-1)).toMatchObject({ progress: 2, total: 2 });
  });

  it('names a bounded number of running steps', async () => {
    const { server, workflows } = aWorkflowServer();
    const updates: ProgressUpdate[] = [];
    const context = aCallContext({ progress: (update) => updates.push(update) });
    const call = server.callTool('run_plan', { plan }, context);
    await workflows.untilFollowed();
    const message = 'x'.repeat(1_000);
    const running = Array.from({ length: 30 }, (_, n) => [
      `s${n}`,
      aStep('running', { progress: { progress: 1, message } }),
    ]);
    workflows.change('run-1', { steps: Object.fromEntries(running) });
    workflows.change('run-1', ended);
    await call;
    expect(updates[1]?.message?.length).toBeLessThan(600);
    expect(updates[1]?.message).toContain('… and 25 more'.slice(2));
  });

  it('returns at once when it is told not to wait', async () => {
    const { server } = aWorkflowServer();
    const args = { plan: 'steps: []', engine: 'restate', wait: false };
    expect(await structuredOf(server.callTool('run_plan', args, aCallContext()))).toMatchObject({
      status: 'running',
      engine: 'restate',
      steps: { a: { status: 'pending' } },
    });
  });

  it('passes on what the call carries: its trace, its key and how deep it is among runs', async () => {
    const { server, workflows } = aWorkflowServer();
    const meta = { traceparent: '00-1-2-01', 'tutti/idempotencyKey': 'k', 'tutti/runDepth': 2 };
    await server.callTool('run_plan', { plan, wait: false }, aCallContext({ meta }));
    expect(workflows.started[0]).toMatchObject({ idempotencyKey: 'k', meta });
  });

  it.each(['failed', 'cancelled'] as const)(
    'is a failed call with all the run tells when the run has %s',
    async (status) => {
      const { server, workflows } = aWorkflowServer();
      const call = server.callTool('run_plan', { plan }, aCallContext());
      await workflows.untilFollowed();
      const error = { code: 'x.y', message: 'it broke', details: {} };
      workflows.change('run-1', { status, steps: { a: aStep('failed', { error }) }, error });
      const result = await call;
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toMatchObject({ status, error });
      expect(result._meta?.[errorMetaKey]).toMatchObject({
        code: 'workflow.run_not_succeeded',
        message: expect.stringContaining('it broke'),
        details: { runId: 'run-1', status },
      });
      expect(result.content[0]?.['text']).toContain('step a failed: it broke');
    },
  );

  it('says why a run was not started', async () => {
    const { server, workflows } = aWorkflowServer();
    workflows.refusal = new ForeignError('plan.invalid', 'The plan cannot run');
    for (const context of [aCallContext(), aCallContext({ extra: { task: {} } })]) {
      const result = await server.callTool('run_plan', { plan }, context);
      expect(result._meta?.[errorMetaKey]).toMatchObject({ code: 'plan.invalid' });
    }
  });
});

describe('cancelling a call of run_plan', () => {
  async function cancelWith(reason: Error, args: object = {}): Promise<FakeWorkflows> {
    const { server, workflows } = aWorkflowServer();
    const cancel = new AbortController();
    const context = aCallContext({ signal: cancel.signal });
    const call = server.callTool('run_plan', { plan, ...args }, context);
    await workflows.untilFollowed();
    cancel.abort(reason);
    await expect(call).rejects.toBe(reason);
    return workflows;
  }

  it('cancels the run', async () => {
    const { cancelled } = await cancelWith(new ForeignError('gateway.request_cancelled'));
    expect(cancelled).toEqual(['run-1: the call that waited for it was cancelled']);
  });

  it('leaves the run alone when the call said so', async () => {
    const args = { cancel_with_request: false };
    const { cancelled } = await cancelWith(new ForeignError('gateway.request_cancelled'), args);
    expect(cancelled).toEqual([]);
  });

  it.each(['gateway.connection_closed', 'kernel.time_limit', 'workflow.run_let_go'])(
    'leaves the run alone when it was %s: nobody asked for its end',
    async (code) => {
      expect((await cancelWith(new ForeignError(code))).cancelled).toEqual([]);
    },
  );
});

describe('list_runs', () => {
  it('lists the runs of the caller, newest first, of the statuses asked for', async () => {
    const { server, workflows } = aWorkflowServer();
    const list = (args: object, caller = localCaller) =>
      structuredOf(server.callTool('list_runs', args, aCallContext({ caller })));
    const empty = await server.callTool('list_runs', {}, aCallContext());
    expect(empty.content[0]?.['text']).toBe('No runs.');
    for (let n = 0; n < 3; n += 1) {
      await server.callTool('run_plan', { plan, wait: false }, aCallContext());
    }
    workflows.change('run-2', { status: 'failed' });
    expect(await list({ limit: 2 })).toMatchObject({
      runs: [{ runId: 'run-3' }, { runId: 'run-2' }],
    });
    expect(await list({ status: 'failed' })).toMatchObject({ runs: [{ runId: 'run-2' }] });
    expect(await list({ status: ['running'] })).toMatchObject({
      runs: [{ runId: 'run-3' }, { runId: 'run-1' }],
    });
    expect(await list({}, stranger)).toEqual({ runs: [] });
    const all = await server.callTool('list_runs', {}, aCallContext());
    expect(all.content[0]?.['text']).toContain('run-2  failed  2026-01-01T00:00:00.000Z  demo');
  });
});
