import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aWall } from '../support/wall/a-wall.ts';

const canary = (what: string): string => `ghp_${what.padEnd(36, 'Z').slice(0, 36)}`;
const upstreamKey = canary('upstreamkey');
const wall = aWall({
  settings: {
    logging: { level: 'debug' },
    mcpServers: {
      gone: { url: 'http://127.0.0.1:9/', headers: { authorization: `Bearer ${upstreamKey}` } },
    },
  },
});

/** Everything the server wrote: logs, traces, audit, caches. */
function everythingWritten(): string {
  return readdirSync(wall.home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(wall.home, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('serve-token'))
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

const places: Readonly<Record<string, (secret: string) => Promise<unknown>>> = {
  'a token': (secret) =>
    wall.http({ path: '/metrics', headers: { authorization: `Bearer ${secret}` } }),
  'a query': (secret) => wall.http({ path: `/metrics?token=${secret}` }),
  'a path': (secret) => wall.http({ path: `/${secret}` }),
  'a cookie': (secret) => wall.http({ path: '/', headers: { cookie: `session=${secret}` } }),
  'a session id': (secret) => wall.inSession('tools/list', {}, { 'mcp-session-id': secret }),
  'an argument (CVE-2026-44969, 44970)': (secret) =>
    wall.stateless('tools/call', { name: 'admin__list_tools', arguments: { server: secret } }),
  'an argument of an unknown tool': (secret) =>
    wall.stateless('tools/call', { name: 'nope', arguments: { password: secret } }),
  'a wrong argument': (secret) =>
    wall.stateless('tools/call', { name: 'workspace__read_file', arguments: { path: { secret } } }),
  'an argument for a server that is gone': (secret) =>
    wall.stateless('tools/call', { name: 'gone__x', arguments: { api_key: secret } }),
  'metadata of a request': (secret) => wall.stateless('tools/list', { cursor: secret }),
  'trace state': (secret) =>
    wall.stateless(
      'tools/call',
      { name: 'admin__list_tools', arguments: {} },
      {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: `a=${secret}`,
        baggage: `token=${secret}`,
      },
    ),
  'a broken body': (secret) => wall.http({ method: 'POST', path: '/mcp', body: `{"${secret}` }),
};

it.each(Object.entries(places))(
  'writes no secret of %s to disk (CVE-2026-46514)',
  async (what, send) => {
    const secret = canary(what.replaceAll(/[^a-z]/g, '').slice(0, 20));
    await send(secret);
    // Traces are written in batches.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(everythingWritten()).not.toContain(secret);
  },
);

it('shows the keys of servers nowhere', async () => {
  const shown = [
    (await wall.cli('servers', '--json')).output,
    (await wall.cli('config', '--json')).output,
    (await wall.cli('doctor')).output,
    (await wall.http({ path: '/' })).text,
    (await wall.http({ path: '/metrics' })).text,
    (await wall.stateless('tools/call', { name: 'admin__get_server_status', arguments: {} })).text,
    everythingWritten(),
  ].join('\n');
  expect(shown).toContain('gone');
  expect(shown).not.toContain(upstreamKey);
  expect(shown).not.toContain(wall.token);
});
