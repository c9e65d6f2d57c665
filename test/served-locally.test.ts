import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti, serveTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const planted = 'planted.txt';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Writes a file as the owner of the server would. */
function write(version: string) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const args = { path: planted, content: 'x' };
  const params = { name: 'workspace__apply_changes', arguments: args, _meta: meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'another user', version: '1' },
  },
});
const stateless = {
  ...json,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'workspace__apply_changes',
};
const body = write('2026-07-28');

const attacks: Readonly<Record<string, (url: string, token: string) => Promise<Response>>> = {
  'a call': (url) => fetch(`${url}/mcp`, { method: 'POST', headers: stateless, body }),
  'a session': (url) => fetch(`${url}/mcp`, { method: 'POST', headers: json, body: initialize }),
  'the older transport': (url) => fetch(`${url}/sse`),
  'a message of the older transport': (url) =>
    fetch(`${url}/messages?sessionId=1`, { method: 'POST', headers: json, body }),
  'a stream': (url) => fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream' } }),
  'a wrong token': (url, token) => {
    const authorization = `Bearer ${token.slice(1)}`;
    return fetch(`${url}/mcp`, { method: 'POST', headers: { ...stateless, authorization }, body });
  },
  'an empty token': (url) => {
    const headers = { ...stateless, authorization: 'Bearer' };
    return fetch(`${url}/mcp`, { method: 'POST', headers, body });
  },
  'the metrics': (url) => fetch(`${url}/metrics`),
  'the token where others see it': (url, token) =>
    fetch(`${url}/mcp?token=${token}`, { method: 'POST', headers: stateless, body }),
};

describe('another user of this machine', { timeout: 60_000 }, () => {
  it.each(Object.entries(attacks))(
    'gets nothing out of tutti serve by %s',
    async (_how, attack) => {
      const cwd = aFolder();
      const { url, headers } = await serveTutti({ cwd });
      const response = await attack(url, headers.authorization.replace('Bearer ', ''));
      expect(response.status).toBe(401);
      await response.text();
      expect(existsSync(join(cwd, planted))).toBe(false);
    },
  );

  it('sees no server and no tool on the page, and how its owner connects', async () => {
    const { url } = await serveTutti({ cwd: aFolder() });
    const page = await (await fetch(url)).text();
    expect(page).toContain('serve-token');
    expect(page).not.toContain('format_code');
  });

  it.skipIf(process.geteuid?.() !== 0)('cannot read the token', async () => {
    const cwd = aFolder();
    await serveTutti({ cwd });
    const file = join(cwd, 'data', 'serve-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const folder of [cwd, join(cwd, 'data')]) chmodSync(folder, 0o755);
    const other = { uid: 65_534, gid: 65_534, encoding: 'utf8' } as const;
    expect(spawnSync('/bin/cat', [file], other).stdout).toBe('');
  });
});

describe('the owner of tutti serve', { timeout: 60_000 }, () => {
  it('calls tools with the token that the first start made', async () => {
    const cwd = aFolder();
    const first = await serveTutti({ cwd });
    first.child.kill();
    await once(first.child, 'exit');
    const { url, headers } = await serveTutti({ cwd });
    expect(headers).toEqual(first.headers);
    const client = new Client({ name: 'owner', version: '1' });
    const requestInit = { headers };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await client.close();
  });

  it('is told in one sentence where it is', async () => {
    const cwd = aFolder();
    const child = startTutti(['serve', '--port', '0'], { cwd });
    const ended = untilEnd(child);
    await once(createInterface(child.stdout), 'line');
    child.kill();
    const { stderr } = await ended;
    expect(stderr).toContain(`with the token in ${join(cwd, 'data', 'serve-token')}; `);
    expect(stderr).not.toContain(readFileSync(join(cwd, 'data', 'serve-token'), 'utf8').trim());
  });

  it('may do without, and still not beyond this machine', async () => {
    const env = { TUTTI_SERVER_REQUIRE_TOKEN: 'false' };
    const child = startTutti(['serve', '--port', '0'], { cwd: aFolder(), env });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const url = `${line.replace('listening on ', '')}/mcp`;
    expect((await fetch(url, { method: 'POST', headers: json, body: initialize })).status).toBe(
      200,
    );
    const argv = ['serve', '--host', '0.0.0.0', '--port', '0'];
    expect((await runTutti(argv, { cwd: aFolder(), env })).stderr).toContain('open_bind_refused');
  });
});

it('counts tool calls at /metrics, for the owner of the token', { timeout: 60_000 }, async () => {
  const { url, headers } = await serveTutti({ cwd: aFolder() });
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  await client.callTool({ name: 'workspace__list_files', arguments: {} });
  await client.callTool({ name: 'workspace__read_file', arguments: { path: 'missing.txt' } });
  await client.close();
  const response = await fetch(`${url}/metrics`, { headers });
  expect(response.headers.get('content-type')).toContain('version=0.0.4');
  const text = await response.text();
  expect(text).toMatch(
    /tutti_tool_calls_total\{server="workspace",tool="[^"]*list_files",outcome="ok"\} 1/,
  );
  expect(text).toMatch(
    /tutti_tool_calls_total\{server="workspace",tool="[^"]*read_file",outcome="error"\} 1/,
  );
});
