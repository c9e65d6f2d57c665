import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { loadSettingsOnly, openSystem, type System, type SystemRequest } from './index.ts';

let folder: string;
let open: System[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-compose-'));
  open = [];
});

afterEach(async () => {
  for (const system of open) await system.close();
  rmSync(folder, { recursive: true, force: true });
});

async function aSystem(request: Partial<SystemRequest> = {}): Promise<System> {
  const system = await openSystem({
    flags: { home: join(folder, 'home'), 'server.port': 0 },
    env: { PATH: '/nowhere' },
    cwd: folder,
    ...request,
  });
  open.push(system);
  return system;
}

const aContext = () => ({
  caller: localCaller,
  signal: new AbortController().signal,
  progress: () => {},
  meta: {},
});

describe('the system', () => {
  it('offers the tools of both servers under one roof', async () => {
    const names = (await (await aSystem()).catalogue.listTools()).map((tool) => tool.name);
    expect(names).toContain('code__format_code');
    expect(names).toContain('standards__get_standard');
  });

  it('keeps bare names when it serves one server, and refuses one that is not there', async () => {
    const only = await aSystem({ only: ['standards'] });
    const names = (await only.catalogue.listTools()).map((tool) => tool.name);
    expect(names).toContain('get_standard');
    await expect(aSystem({ only: ['nonsense'] })).rejects.toMatchObject({
      code: 'compose.unknown_server',
      message: expect.stringContaining('code, standards'),
    });
  });

  it('runs a tool, and its trace is there for the next process', async () => {
    const first = await aSystem();
    const result = await first.catalogue.callTool(
      'code.format_code',
      { language: 'python', code: 'x=1' },
      aContext(),
    );
    expect(result.structuredContent).toMatchObject({ formatted_code: 'x = 1\n' });
    await first.close();
    open = [];

    const second = await aSystem();
    const [trace] = await second.traces.recent(5);
    expect(trace?.name).toBe('tools/call code.format_code');
    const spans = await second.traces.find(trace?.traceId.slice(0, 8) ?? '');
    expect(second.formatTrace(spans)).toContain('tools/call code.format_code');
  });

  it('reads files inside its roots and no others', async () => {
    writeFileSync(join(folder, 'a.py'), 'x=1\n');
    const system = await aSystem();
    const call = (path: string) =>
      system.catalogue.callTool('code.format_code', { path }, aContext());
    expect((await call('a.py')).isError).toBeUndefined();
    expect((await call('../../etc/hosts')).content[0]).toMatchObject({
      text: expect.stringContaining('code.outside_roots'),
    });
  });

  it('serves HTTP, ready when its tools can be discovered', async () => {
    const listener = await (await aSystem()).serveHttp();
    const ready = await fetch(`${listener.url}/ready`);
    expect(ready.status).toBe(200);
    await listener.close();
  });

  it('refuses to listen beyond loopback without a token', async () => {
    const flags = { home: join(folder, 'home'), 'server.port': 0, 'server.host': '0.0.0.0' };
    const system = await aSystem({ flags });
    await expect(system.serveHttp()).rejects.toMatchObject({
      code: 'gateway.open_bind_refused',
    });
  });

  it('speaks MCP on a pair of streams until the input ends', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await (await aSystem()).serveStdio({ stdin, stdout });
    stdout.end();
    expect(await stdout.toArray().then((chunks) => Buffer.concat(chunks).toString())).toContain(
      '"id":1',
    );
  });
});

describe('the doctor', () => {
  it('finds everything in order on a fresh machine, but for what is optional', async () => {
    const checks = await (await aSystem()).doctor();
    expect(checks.filter((check) => check.status === 'failed')).toEqual([]);
    expect(checks.find((check) => check.name === 'rustfmt')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('rustup'),
    });
  });

  it('notices a damaged database and says how to restore it', async () => {
    const system = await aSystem();
    await system.backup(join(folder, 'copy.db'), { force: false });
    await system.close();
    open = [];
    writeFileSync(join(folder, 'home', 'tutti.db'), 'this is no database, only some text');
    const checks = await (await aSystem()).doctor();
    expect(checks.find((check) => check.name === 'database')).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('tutti backup'),
    });
  });

  it('notices roots that are not there and settings that look wrong', async () => {
    const system = await aSystem({
      flags: { home: join(folder, 'home'), roots: [join(folder, 'missing')] },
      env: { TUTTI_SERVER_PROT: '1' },
    });
    const checks = await system.doctor();
    expect(checks.find((check) => check.name === 'roots')?.status).toBe('warning');
    expect(checks.find((check) => check.name === 'settings')?.message).toContain('SERVER_PROT');
  });
});

it('loads settings without opening anything', async () => {
  const settings = await loadSettingsOnly({
    flags: { 'server.port': 9000 },
    env: {},
    cwd: folder,
  });
  expect(settings.describe().find(({ key }) => key === 'server.port')?.value).toBe(9000);
});
