import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { StdioPeer, statelessMeta, type Json } from '../testkit/gateway/stdio-peer.ts';

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const tasksExtension = 'io.modelcontextprotocol/tasks';
const format = { tool: 'code.format_code', args: { language: 'python', code: 'x  =  1' } };

const plain = {
  name: 'plain',
  steps: [
    { id: 'first', ...format },
    { id: 'pause', sleep: 1 },
  ],
};
const approved = { steps: [{ id: 'ship', ...format, approval: { message: 'Really?' } }] };
const endless = { steps: [{ id: 'stuck', wait: 'never' }] };
const slow = { steps: [{ id: 'long', sleep: '1h' }] };
const big = { steps: [{ id: 'pause', sleep: 1 }], output: 'é'.repeat(20_000) };

/** Other tests may run beside this one. */
const patient = { timeout: 20_000 };

/** A member of a message, however deep; undefined where the way ends. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}

describe('plans over MCP', { timeout: 60_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'tutti-workflow-'));
  /** Somebody is served all the time, so that runs nobody waits for are executed here. */
  const other = { stdin: new PassThrough(), stdout: new PassThrough() };
  let system: System;
  let serving: Promise<unknown>;

  beforeAll(async () => {
    system = await openSystem({ flags: { home }, env: { ...process.env }, cwd: home });
    serving = system.serveStdio(other);
  }, 60_000);

  afterAll(async () => {
    other.stdin.end();
    await serving;
    await system.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function aPeer(capabilities: Json = {}): Promise<StdioPeer> {
    const peer = new StdioPeer({ server: system.catalogue });
    await peer.initialize('2025-11-25', capabilities);
    peer.notify('notifications/initialized');
    return peer;
  }

  const call = async (
    peer: StdioPeer,
    tool: string,
    args: Json,
    more: Json = {},
  ): Promise<Json> => {
    const name = `workflow__${tool}`;
    const answer = await peer.ask('tools/call', { name, arguments: args, ...more });
    expect(answer['error']).toBeUndefined();
    return Object(answer['result']);
  };

  /** Runs a plan of which nothing is waited for; gives the id of the run. */
  async function start(peer: StdioPeer, plan: Json): Promise<string> {
    const result = await call(peer, 'run_plan', { plan, wait: false });
    return String(at(result, 'structuredContent', 'runId'));
  }

  it('are checked, run with progress, listed and shown', async () => {
    const peer = await aPeer();
    const wrong = { steps: [{ id: 'a', tool: 'code.format_cod', args: {} }] };
    const check = await call(peer, 'check_plan', { plan: wrong });
    expect(at(check, 'structuredContent', 'errors', 0, 'code')).toBe('plan.unknown_tool');
    const refused = await call(peer, 'run_plan', { plan: wrong });
    expect(at(refused, '_meta', 'tutti/error', 'code')).toBe('plan.invalid');
    const more = { _meta: { progressToken: 'p' } };
    const run = await call(peer, 'run_plan', { plan: plain }, more);
    expect(run['structuredContent']).toMatchObject({
      status: 'succeeded',
      steps: { first: { status: 'succeeded', output: { formatted_code: 'x = 1\n' } } },
    });
    const updates = peer.received.filter(({ method }) => method === 'notifications/progress');
    expect(at(updates.at(-1), 'params')).toMatchObject({
      progressToken: 'p',
      progress: 2,
      total: 2,
    });
    const runId = at(run, 'structuredContent', 'runId');
    const listed = await call(peer, 'list_runs', { status: 'succeeded' });
    expect(at(listed, 'structuredContent', 'runs')).toContainEqual(
      expect.objectContaining({ runId, name: 'plain' }),
    );
    const shown = await call(peer, 'get_run', { run_id: runId });
    expect(shown['structuredContent']).toEqual(run['structuredContent']);
    const status = await system.catalogue.callTool(
      'admin.get_status',
      {},
      { caller: localCaller, signal: AbortSignal.timeout(10_000), progress: () => {}, meta: {} },
    );
    expect(status.structuredContent).toMatchObject({
      engine: 'embedded',
      dataDirectory: { path: home },
    });
  });

  it('have the person at the client approve the exact call', async () => {
    const peer = await aPeer({ elicitation: {} });
    const running = call(peer, 'run_plan', { plan: approved });
    const question = await peer.take(({ method }) => method === 'elicitation/create');
    const message = String(at(question, 'params', 'message'));
    expect(message).toContain('Really?\nIt would call code.format_code with:');
    expect(message).toContain('"code": "x  =  1"');
    const result = { action: 'accept', content: { approve: true } };
    peer.write({ jsonrpc: '2.0', id: question['id'], result });
    expect(at(await running, 'structuredContent', 'status')).toBe('succeeded');
  });

  it('wait for a command of a person where the client cannot be asked', async () => {
    const peer = await aPeer();
    const result = await call(peer, 'run_plan', { plan: approved });
    const runId = String(at(result, 'structuredContent', 'runId'));
    expect(result['structuredContent']).toMatchObject({
      status: 'waiting',
      waitingFor: [
        {
          kind: 'approval',
          commands: [`tutti runs approve ${runId} ship`, `tutti runs deny ${runId} ship`],
        },
      ],
    });
    const outdated = { step: 'ship', approvalId: 'another', verdict: 'approved' } as const;
    await expect(system.workflows.decide(localCaller, runId, outdated)).rejects.toMatchObject({
      code: 'workflow.not_waiting_for_that',
    });
    await system.workflows.decide(localCaller, runId, { step: 'ship', verdict: 'denied' });
    const { signal } = new AbortController();
    await system.workflows.follow(localCaller, runId, { execute: true, signal });
    const shown = await call(peer, 'get_run', { run_id: runId });
    expect(at(shown, 'structuredContent', 'status')).toBe('failed');
  });

  it('end when the call that waits for them is cancelled', async () => {
    const peer = await aPeer();
    const id = 'cancel-me';
    const params = {
      name: 'workflow__run_plan',
      arguments: { plan: slow },
      _meta: { progressToken: 1 },
    };
    peer.write({ jsonrpc: '2.0', id, method: 'tools/call', params });
    await peer.take(({ method }) => method === 'notifications/progress');
    peer.notify('notifications/cancelled', { requestId: id });
    await expect
      .poll(
        async () => (await system.workflows.list(localCaller, { limit: 1 }))[0]?.status,
        patient,
      )
      .toBe('cancelled');
  });

  it('that run themselves come to an end', async () => {
    const peer = await aPeer();
    const reference = '${input.plan}';
    const itself = {
      input: { plan: { type: 'object' } },
      steps: [
        {
          id: 'again',
          tool: 'workflow.run_plan',
          args: { plan: reference, input: { plan: reference } },
        },
      ],
    };
    const result = await call(peer, 'run_plan', { plan: itself, input: { plan: itself } });
    expect(at(result, 'structuredContent', 'status')).toBe('failed');
    expect(at(result, 'structuredContent', 'error', 'message')).toContain('may be 4 deep');
  });

  it('give big outputs by a handle that is read in pages or as a resource', async () => {
    const peer = await aPeer();
    const result = await call(peer, 'run_plan', { plan: big });
    const id = String(at(result, 'structuredContent', 'stored', 'id'));
    expect(at(result, 'structuredContent', 'stored', 'preview')).toMatch(/^é{500}$/);
    let text = '';
    for (let offset: unknown = 0; offset !== null;) {
      const page = await call(peer, 'read_artifact', { id, offset, max_bytes: 9_999 });
      text += String(at(page, 'structuredContent', 'text'));
      offset = at(page, 'structuredContent', 'nextOffset');
    }
    expect(text).toBe(big.output);
    const uri = `artifact://sha256/${id.slice('sha256:'.length)}`;
    const read = await peer.ask('resources/read', { uri });
    expect(at(read, 'result', 'contents', 0, 'text')).toBe(text);
    await expect
      .poll(async () => at(await peer.ask('resources/list'), 'result', 'resources'), patient)
      .toContainEqual(expect.objectContaining({ uri, size: 40_000 }));
  });

  it('are tasks of a client of the handshake era', async () => {
    const peer = await aPeer({ elicitation: {} });
    const created = await call(peer, 'run_plan', { plan: approved }, { task: { ttl: 60_000 } });
    expect(Object.keys(created)).toEqual(['task']);
    const taskId = at(created, 'task', 'taskId');
    await expect
      .poll(async () => at(await peer.ask('tasks/get', { taskId }), 'result', 'status'), patient)
      .toBe('input_required');
    const result = peer.ask('tasks/result', { taskId });
    const question = await peer.take(({ method }) => method === 'elicitation/create');
    const answer = { action: 'accept', content: { approve: true } };
    peer.write({ jsonrpc: '2.0', id: question['id'], result: answer });
    expect(at(await result, 'result')).toMatchObject({
      structuredContent: { status: 'succeeded' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    expect(at(await peer.ask('tasks/get', { taskId }), 'result', 'status')).toBe('completed');
    const other = `workflow:${await start(peer, endless)}`;
    expect(at(await peer.ask('tasks/cancel', { taskId: other }), 'result')).toMatchObject({
      taskId: other,
      status: 'cancelled',
    });
    expect(at(await peer.ask('tasks/list'), 'result', 'tasks')).toContainEqual(
      expect.objectContaining({ taskId }),
    );
    expect(at(await peer.ask('tasks/get', { taskId: 'workflow:none' }), 'error', 'code')).toBe(
      -32_602,
    );
  });

  it.each(['workflow__run_plan', 'admin__call_tool'])(
    'are tasks of a client of the stateless era that calls %s',
    async (name) => {
      const peer = new StdioPeer({ server: system.catalogue });
      const capabilities = { elicitation: {}, extensions: { [tasksExtension]: {} } };
      const _meta = { ...statelessMeta, [capabilitiesKey]: capabilities };
      const ask = async (method: string, params: Json): Promise<Json> =>
        Object((await peer.ask(method, { ...params, _meta }))['result']);
      const args = { plan: approved };
      const given = name.startsWith('admin')
        ? { name: 'workflow.run_plan', arguments: args }
        : args;
      const created = await ask('tools/call', { name, arguments: given });
      expect(created).toMatchObject({ resultType: 'task', status: 'working' });
      const { taskId } = created;
      const get = (): Promise<Json> => ask('tasks/get', { taskId });
      await expect.poll(async () => (await get())['status'], patient).toBe('input_required');
      const [key = ''] = Object.keys(Object((await get())['inputRequests']));
      const inputResponses = { [key]: { action: 'accept', content: { approve: true } } };
      expect(await ask('tasks/update', { taskId, inputResponses })).toMatchObject({
        resultType: 'complete',
      });
      await expect.poll(async () => (await get())['status'], patient).toBe('completed');
      expect(at(await get(), 'result', 'structuredContent', 'status')).toBe('succeeded');
    },
  );
});
