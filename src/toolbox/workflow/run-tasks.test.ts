import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ClientPort, McpServer } from '../../contract/server/index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import {
  aStep,
  anApproval,
  FakeWorkflows,
} from '../../../testkit/toolbox/workflow/fake-workflows.ts';
import { MemoryArtifacts } from '../../../testkit/toolbox/workflow/memory-artifacts.ts';
import { createWorkflowServer } from './workflow-server.ts';

const plan = { steps: [{ id: 'a', tool: 'code.format_code', args: {} }] };
const tasksExtension = 'io.modelcontextprotocol/tasks';
const taskId = 'run-1';
const succeeded = { status: 'succeeded', endedAt: '2026-01-01T00:00:05.000Z', output: 7 } as const;
const failure = { code: 'x.y', message: 'it broke', details: {} };

type Answer = Readonly<Record<string, unknown>>;

/** `Task` of the protocol of 2025-11-25. */
const taskSchema = z.strictObject({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string(),
  ttl: z.number().nullable(),
  createdAt: z.iso.datetime(),
  lastUpdatedAt: z.iso.datetime(),
  pollInterval: z.number(),
});

function aClient(era: ClientPort['era'], answer?: Answer): ClientPort {
  return {
    id: 'c',
    era,
    capabilities: {
      ...(answer && { elicitation: {} }),
      ...(era === 'stateless' && { extensions: { [tasksExtension]: {} } }),
    },
    ask: async () => answer ?? {},
    notify: () => {},
  };
}

interface Setup {
  readonly workflows: FakeWorkflows;
  readonly server: McpServer;
  /** A request about tasks, and its answer. */
  readonly ask: (method: string, params?: object) => Promise<Answer>;
  readonly created: Answer;
}

/** A run that is a task of a client of that era, whose person answers as given. */
async function aTask(era: ClientPort['era'], answer?: Answer): Promise<Setup> {
  const workflows = new FakeWorkflows();
  const server = createWorkflowServer({
    version: '1',
    workflows,
    artifacts: new MemoryArtifacts(),
  });
  const client = aClient(era, answer);
  const extra = era === 'handshake' ? { extra: { task: { ttl: 60_000 } } } : {};
  const created = await server.callTool('run_plan', { plan }, aCallContext({ client, ...extra }));
  return {
    workflows,
    server,
    created: { ...created },
    ask: async (method, params = { taskId }) =>
      Object(await server.request?.(method, { ...params }, aCallContext({ client }))),
  };
}

describe('a run as a task of the handshake era', () => {
  it('is created by a call that asks for it, also when its arguments say to wait', async () => {
    const { created, server } = await aTask('handshake');
    expect(created['resultType']).toBe('task');
    expect(taskSchema.parse(created['task'])).toMatchObject({
      taskId,
      status: 'working',
      ttl: null,
    });
    const context = aCallContext({ extra: { task: {} } });
    const again = await server.callTool('run_plan', { plan, wait: true }, context);
    expect(again).toMatchObject({ resultType: 'task', task: { taskId: 'run-2' } });
    expect(server.extensions?.().tasks).toMatchObject({ requests: { tools: { call: {} } } });
  });

  it('is asked for only with arguments that are right', async () => {
    const { server } = await aTask('handshake');
    const context = aCallContext({ extra: { task: {} } });
    expect(await server.callTool('run_plan', {}, context)).toMatchObject({ isError: true });
  });

  it.each([
    ['queued', 'working'],
    ['paused', 'working'],
    ['waiting', 'input_required'],
    ['succeeded', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
  ] as const)('of a run that is %s is %s', async (status, expected) => {
    const { workflows, ask } = await aTask('handshake');
    workflows.change(taskId, { status });
    const task = taskSchema.parse(await ask('tasks/get'));
    expect(task).toMatchObject({ taskId, status: expected });
  });

  it('gives the result of the run when it ends, and says whose it is', async () => {
    const { workflows, ask } = await aTask('handshake');
    const result = ask('tasks/result');
    await workflows.untilFollowed();
    workflows.change(taskId, succeeded);
    expect(await result).toMatchObject({
      structuredContent: { runId: taskId, status: 'succeeded', output: 7 },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    workflows.change(taskId, { status: 'failed', error: failure });
    expect(await ask('tasks/result')).toMatchObject({ isError: true });
    expect(await ask('tasks/get')).toMatchObject({ statusMessage: 'failed: it broke' });
  });

  it('asks the person at the client while its result is waited for', async () => {
    const { workflows, ask } = await aTask('handshake', {
      action: 'accept',
      content: { approve: true },
    });
    workflows.onDecide = () => workflows.change(taskId, { ...succeeded, waitingFor: [] });
    workflows.change(taskId, { status: 'waiting', waitingFor: [anApproval()] });
    expect(await ask('tasks/get')).toMatchObject({
      status: 'input_required',
      statusMessage: expect.stringContaining('tutti runs approve run-1 deploy'),
    });
    expect(await ask('tasks/result')).toMatchObject({ structuredContent: { status: 'succeeded' } });
    expect(workflows.decisions).toMatchObject([{ decision: { verdict: 'approved' } }]);
  });

  it('is cancelled with its run, once', async () => {
    const { workflows, ask } = await aTask('handshake');
    const task = taskSchema.parse(await ask('tasks/cancel'));
    expect(task).toMatchObject({ taskId, status: 'cancelled' });
    expect(workflows.cancelled).toEqual(['run-1: its task was cancelled']);
    await expect(ask('tasks/cancel')).rejects.toMatchObject({
      code: 'workflow.invalid_task_request',
      message: expect.stringContaining('it is over'),
    });
  });

  it('is listed with all other runs', async () => {
    const { server, ask } = await aTask('handshake');
    await server.callTool('run_plan', { plan, wait: false }, aCallContext());
    expect(await ask('tasks/list', {})).toMatchObject({
      tasks: [{ taskId: 'run-2', status: 'working' }, { taskId: 'run-1' }],
    });
  });

  it.each([
    ['tasks/get', {}, 'workflow.invalid_task_request'],
    ['tasks/get', { taskId: 7 }, 'workflow.invalid_task_request'],
    ['tasks/get', { taskId: 'nobody' }, 'workflow.unknown_run'],
    ['tasks/else', { taskId }, 'workflow.invalid_task_request'],
  ])('refuses %s with %j', async (method, params, code) => {
    const { ask } = await aTask('handshake');
    await expect(ask(method, params)).rejects.toMatchObject({ code });
  });
});

describe('a run as a task of the stateless era', () => {
  it('is created for a client that knows tasks, unless the call says whether to wait', async () => {
    const { created, server } = await aTask('stateless');
    expect(created).toEqual({
      content: [],
      resultType: 'task',
      taskId,
      status: 'working',
      statusMessage: 'running',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUpdatedAt: '2026-01-01T00:00:00.000Z',
      ttlMs: null,
      pollIntervalMs: 1_000,
    });
    const context = aCallContext({ client: aClient('stateless') });
    const answered = await server.callTool('run_plan', { plan, wait: false }, context);
    expect(answered.structuredContent).toMatchObject({ runId: 'run-2' });
    const unaware = { ...aClient('stateless'), capabilities: {} };
    const abort = AbortSignal.abort(new Error('it waited'));
    const waiting = aCallContext({ client: unaware, signal: abort });
    await expect(server.callTool('run_plan', { plan }, waiting)).rejects.toThrow('it waited');
  });

  it('carries its result when it is over, a failure included', async () => {
    const { workflows, ask } = await aTask('stateless');
    workflows.change(taskId, { steps: { a: aStep('running') } });
    expect(await ask('tasks/get')).toMatchObject({
      status: 'working',
      statusMessage: 'running: a',
    });
    workflows.change(taskId, succeeded);
    expect(await ask('tasks/get')).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'succeeded', output: 7 } },
      lastUpdatedAt: succeeded.endedAt,
    });
    workflows.change(taskId, { status: 'failed', error: failure });
    expect(await ask('tasks/get')).toMatchObject({
      status: 'completed',
      result: { isError: true },
    });
  });

  it('asks by name what a person must decide, and takes the answers', async () => {
    const { workflows, ask } = await aTask('stateless', {});
    workflows.change(taskId, {
      status: 'waiting',
      waitingFor: [anApproval(), anApproval({ approvalId: 'a2', step: 'notify' })],
    });
    expect(await ask('tasks/get')).toMatchObject({
      status: 'input_required',
      inputRequests: { a1: { method: 'elicitation/create' }, a2: {} },
    });
    const inputResponses = {
      a1: { action: 'accept', content: { approve: true } },
      unknown: { action: 'accept', content: { approve: true } },
    };
    expect(await ask('tasks/update', { taskId, inputResponses })).toEqual({});
    expect(workflows.decisions).toEqual([
      { runId: taskId, decision: { step: 'deploy', approvalId: 'a1', verdict: 'approved' } },
    ]);
    expect(await ask('tasks/update', { taskId })).toEqual({});
    expect(workflows.decisions).toHaveLength(1);
  });

  it('goes on working while it waits for what its client cannot give, and says the command', async () => {
    const { workflows, ask } = await aTask('stateless');
    workflows.change(taskId, { status: 'waiting', waitingFor: [anApproval()] });
    expect(await ask('tasks/get')).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('tutti runs approve run-1 deploy'),
    });
  });

  it('is cancelled with its run; again is no mistake', async () => {
    const { workflows, ask } = await aTask('stateless');
    expect(await ask('tasks/cancel')).toEqual({});
    expect(await ask('tasks/cancel')).toEqual({});
    expect(workflows.cancelled).toHaveLength(1);
    expect(await ask('tasks/get')).toMatchObject({ status: 'cancelled' });
  });
});
