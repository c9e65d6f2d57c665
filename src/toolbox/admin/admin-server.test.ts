import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ServerStatus } from '../../contract/fleet/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import { errorMetaKey } from '../../contract/tool/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { aStep, FakeWorkflows } from '../../../testkit/toolbox/workflow/fake-workflows.ts';
import { createAdminServer } from './admin-server.ts';
import { ToolSearch } from './search/tool-search.ts';
import {
  aCatalogue,
  anEntry,
  someEntries,
  type FakeCatalogue,
} from '../../../testkit/toolbox/admin/a-catalogue.ts';

const aStatus: ServerStatus = {
  name: 'files',
  transport: 'stdio',
  state: 'ready',
  since: '2026-01-01T00:00:00.000Z',
  pid: 7,
  restarts: 1,
  lastError: 'it ended with 1',
  tools: 2,
  isListed: true,
  resources: 0,
  prompts: 0,
  calls: 3,
  failedCalls: 1,
  p50Ms: 1.25,
  p99Ms: 20,
  memoryBytes: 10_485_760,
  protocolVersion: '2025-11-25',
  version: '1.0.0',
  source: 'user',
  problems: ['sent 3 lines that are no JSON'],
  changedTools: [],
  login: null,
  flags: [],
};

const idle: ServerStatus = {
  ...aStatus,
  name: 'mail',
  state: 'idle',
  pid: null,
  lastError: null,
  p50Ms: null,
  p99Ms: null,
  memoryBytes: null,
  problems: [],
};

function anAdmin(
  fake: FakeCatalogue = aCatalogue(),
  { workflows = new FakeWorkflows(), home = 'nowhere' } = {},
): McpServer {
  const { catalogue } = fake;
  const search = new ToolSearch({ entries: () => catalogue.entries(), log: silentLog });
  const fleet = { status: async () => [aStatus, idle] };
  const system = { workflows, engine: 'embedded', home } as const;
  return createAdminServer({ version: '1', catalogue, fleet, search, ...system });
}

describe('the admin server', () => {
  it('has tools with schemas, annotations and examples, small enough for a model', async () => {
    const tools = await anAdmin().listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'find_tools',
      'call_tool',
      'list_tools',
      'get_server_status',
      'get_status',
      'cancel_task',
    ]);
    for (const tool of tools) {
      expect(tool._meta?.['tutti/examples']).not.toEqual([]);
      expect(tool.annotations?.readOnlyHint).toBe(
        !['call_tool', 'cancel_task'].includes(tool.name),
      );
    }
    expect(JSON.stringify({ tools }).length / 4).toBeLessThan(2_600);
  });

  it('passes requests about tasks of called tools on', async () => {
    const answer = await anAdmin().request?.('tasks/get', { taskId: 'x:1' }, aCallContext());
    expect(answer).toEqual({ method: 'tasks/get', params: { taskId: 'x:1' } });
  });

  it('lets go of the catalogue when it is closed', async () => {
    const fake = aCatalogue();
    const admin = anAdmin(fake);
    expect(fake.listeners.size).toBe(1);
    await admin.close();
    expect(fake.listeners.size).toBe(0);
  });
});

describe('get_server_status', () => {
  it('tells of all servers, or of one, for programs and for people', async () => {
    const all = await anAdmin().callTool('get_server_status', {}, aCallContext());
    const shown = [aStatus, idle].map(
      ({ flags: _flags, login: _login, isListed: _isListed, ...status }) => status,
    );
    expect(all.structuredContent).toEqual({ servers: shown });
    const one = await anAdmin().callTool('get_server_status', { server: 'files' }, aCallContext());
    expect(one.content).toEqual([
      {
        type: 'text',
        text:
          'files: ready since 2026-01-01T00:00:00.000Z; 2 tools, 3 calls (1 failed), 1 restart; ' +
          'p50 1.3 ms, p99 20.0 ms; 10 MB; process 7; last error: it ended with 1; sent 3 lines that are no JSON',
      },
    ]);
  });

  it('names the servers there are when asked for another', async () => {
    const result = await anAdmin().callTool('get_server_status', { server: 'x' }, aCallContext());
    expect(result._meta?.[errorMetaKey]).toMatchObject({ code: 'admin.unknown_server' });
    expect(result.content[0]?.['text']).toContain('files, mail');
  });
});

describe('get_status', () => {
  it('counts runs, names what runs now, the servers and the size of the data', async () => {
    const home = aDirectory();
    mkdirSync(join(home, 'artifacts'));
    writeFileSync(join(home, 'tutti.db'), 'x'.repeat(1_000));
    writeFileSync(join(home, 'artifacts', 'a'), 'x'.repeat(24));
    symlinkSync(home, join(home, 'loop'));
    const workflows = new FakeWorkflows();
    for (let n = 0; n < 3; n += 1) {
      await workflows.start(localCaller, { source: { kind: 'text', text: '' }, input: {} });
    }
    workflows.change('run-1', {
      steps: {
        a: aStep('succeeded'),
        b: aStep('running', { tool: 'code.x' }),
        c: aStep('running'),
      },
    });
    workflows.change('run-2', { status: 'failed', steps: { a: aStep('running') } });
    const admin = anAdmin(aCatalogue(), { workflows, home });
    const result = await admin.callTool('get_status', {}, aCallContext());
    expect(result.structuredContent).toEqual({
      version: '1',
      engine: 'embedded',
      runs: {
        queued: 0,
        running: 2,
        waiting: 0,
        paused: 0,
        succeeded: 0,
        failed: 1,
        cancelled: 0,
      },
      runningSteps: [
        { runId: 'run-1', step: 'b', tool: 'code.x' },
        { runId: 'run-1', step: 'c', tool: null },
      ],
      servers: [
        { name: 'files', state: 'ready', tools: 2 },
        { name: 'mail', state: 'idle', tools: 2 },
      ],
      dataDirectory: { path: home, bytes: 1_024, files: 2, isComplete: true },
    });
    expect(result.content[0]?.['text']).toBe(
      `Tutti 1, engine embedded\nruns: 2 running, 1 failed\nrun-1 runs b (code.x)\nrun-1 runs c\n` +
        `servers: files ready, mail idle\ndata: 0.0 MB in ${home}`,
    );
    const other = await admin.callTool('get_status', {}, aCallContext({ caller: { id: 'x' } }));
    expect(other.structuredContent).toMatchObject({ runs: { running: 0 }, runningSteps: [] });
    expect(other.content[0]?.['text']).toContain('runs: none');
  });

  it('tells what it can where there is no data directory yet', async () => {
    const result = await anAdmin().callTool('get_status', {}, aCallContext());
    expect(result.structuredContent).toMatchObject({
      dataDirectory: { bytes: 0, files: 0, isComplete: true },
    });
  });
});

describe('cancel_task', () => {
  it('cancels a run by its id, and leaves one that is over as it is', async () => {
    const workflows = new FakeWorkflows();
    await workflows.start(localCaller, { source: { kind: 'text', text: '' }, input: {} });
    const admin = anAdmin(aCatalogue(), { workflows });
    const args = { id: 'run-1', reason: 'too slow' };
    const first = await admin.callTool('cancel_task', args, aCallContext());
    expect(first.structuredContent).toEqual({ id: 'run-1', status: 'cancelled', wasOver: false });
    const again = await admin.callTool('cancel_task', args, aCallContext());
    expect(again.structuredContent).toEqual({ id: 'run-1', status: 'cancelled', wasOver: true });
    expect(again.content[0]?.['text']).toBe('Run run-1 was over already: cancelled');
    expect(workflows.cancelled).toEqual(['run-1: too slow']);
  });

  it('knows runs of the caller only', async () => {
    const workflows = new FakeWorkflows();
    await workflows.start({ id: 'other' }, { source: { kind: 'text', text: '' }, input: {} });
    const admin = anAdmin(aCatalogue(), { workflows });
    const result = await admin.callTool('cancel_task', { id: 'run-1' }, aCallContext());
    expect(result._meta?.[errorMetaKey]).toMatchObject({ code: 'workflow.unknown_run' });
    expect(workflows.cancelled).toEqual([]);
  });
});

describe('list_tools', () => {
  const list = (args: object) => anAdmin().callTool('list_tools', args, aCallContext());

  it('lists names and first sentences page by page', async () => {
    const first = await list({ limit: 3 });
    expect(first.structuredContent).toMatchObject({ total: 4, nextOffset: 3 });
    expect(first.content[0]?.['text']).toContain('files.read_text: Reads a text file.\n');
    const last = await list({ limit: 3, offset: 3 });
    expect(last.structuredContent).toEqual({
      tools: [{ name: 'admin.call_tool', description: 'Calls a tool.' }],
      total: 4,
    });
  });

  it('lists the tools of one server and knows no other', async () => {
    expect((await list({ server: 'mail' })).structuredContent).toMatchObject({ total: 1 });
    expect((await list({ server: 'x' })).isError).toBe(true);
  });

  it('shortens descriptions without an end', async () => {
    const fake = aCatalogue([anEntry('a.b', 'very '.repeat(500))]);
    const result = await anAdmin(fake).callTool('list_tools', {}, aCallContext());
    expect(result.content[0]?.['text']).toMatch(/^a\.b: very .{100,160}…\n1 tool$/);
  });
});

describe('find_tools', () => {
  it('gives names, schemas, a score and a reason, best first', async () => {
    const args = { query: 'delete a folder', k: 1 };
    const result = await anAdmin().callTool('find_tools', args, aCallContext());
    expect(result.structuredContent).toMatchObject({
      rankedBy: 'words',
      tools: [
        {
          name: 'files.remove_directory',
          wireName: 'files__remove_directory',
          server: 'files',
          inputSchema: someEntries[1]?.tool.inputSchema,
          reason: 'has remove, directory',
        },
      ],
    });
  });
});

describe('call_tool', () => {
  it('gives the result of the called tool itself, and that tool the context of the call', async () => {
    const fake = aCatalogue();
    const given = { content: [], resultType: 'task', taskId: 'files:1' };
    const seen: unknown[] = [];
    fake.answer = async (name, args, { progress, extra }) => {
      seen.push(name, args, extra);
      progress({ progress: 1 });
      return given;
    };
    const updates: unknown[] = [];
    const context = aCallContext({
      progress: (update) => updates.push(update),
      extra: { task: { ttl: 1 } },
    });
    const args = { name: 'files__read_text', arguments: { path: 'a' } };
    expect(await anAdmin(fake).callTool('call_tool', args, context)).toBe(given);
    expect(seen).toEqual(['files__read_text', { path: 'a' }, { task: { ttl: 1 } }]);
    expect(updates).toEqual([{ progress: 1 }]);
  });

  it('ends with the reason of a cancellation and with the error of the tool, unchanged', async () => {
    const fake = aCatalogue();
    const failure = new Error('upstream said no');
    fake.answer = () => Promise.reject(failure);
    const call = anAdmin(fake).callTool('call_tool', { name: 'mail.send_message' }, aCallContext());
    await expect(call).rejects.toBe(failure);
  });

  it.each(['admin.call_tool', 'admin__call_tool'])('refuses to call itself as %s', async (name) => {
    const call = anAdmin().callTool('call_tool', { name }, aCallContext());
    await expect(call).rejects.toMatchObject({ code: 'admin.recursive_call' });
  });

  it('names a similar tool when there is none of that name', async () => {
    const call = anAdmin().callTool('call_tool', { name: 'files.read_txt' }, aCallContext());
    await expect(call).rejects.toMatchObject({
      code: 'admin.unknown_tool',
      message: expect.stringContaining('Did you mean "files__read_text"? find_tools finds tools'),
    });
  });

  it('says what is wrong with its own arguments', async () => {
    const call = anAdmin().callTool('call_tool', { arguments: 1 }, aCallContext());
    await expect(call).rejects.toMatchObject({
      code: 'toolbox.invalid_arguments',
      message: expect.stringContaining('arguments: '),
    });
  });
});
