import { expect, it } from 'vitest';
import { sampleSeeded } from '../../testkit/sample.ts';
import { aWall, routesOf, type Wall } from '../support/wall/a-wall.ts';

// Each case is to be refused for itself, not for the number of those before it.
const wall = aWall({ settings: { server: { rate_limit: { failed_logins_per_minute: 10_000 } } } });

/** What is presented in place of the token. Paths of open routes answer, without anything that needs a caller. */
const presented: Readonly<Record<string, (wall: Wall) => Record<string, string | undefined>>> = {
  'nothing (CVE-2026-33032)': () => ({ authorization: undefined }),
  'an empty header (CVE-2026-59822)': () => ({ authorization: '' }),
  'a scheme alone (CVE-2026-61427)': () => ({ authorization: 'Bearer' }),
  'the word None (CVE-2026-61427)': () => ({ authorization: 'Bearer None' }),
  'the word undefined': () => ({ authorization: 'Bearer undefined' }),
  'another scheme': ({ token }) => ({ authorization: `Basic ${token}` }),
  'no scheme': ({ token }) => ({ authorization: token }),
  'the beginning of the token': ({ token }) => ({ authorization: `Bearer ${token.slice(0, -1)}` }),
  'more than the token': ({ token }) => ({ authorization: `Bearer ${token}x` }),
  'two tokens in one header': ({ token }) => ({ authorization: `Bearer ${token}, Bearer x` }),
  'another case of the token': ({ token }) => ({ authorization: `Bearer ${swapCase(token)}` }),
  'a cookie (CVE-2026-32211)': ({ token }) => ({
    authorization: undefined,
    cookie: `token=${token}`,
  }),
  'a header of a proxy (CVE-2026-50027)': () => ({
    authorization: undefined,
    'x-forwarded-user': 'admin',
    'x-forwarded-for': '127.0.0.1',
  }),
};

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

it.each(Object.entries(presented))('opens no route for %s', async (_what, headersOf) => {
  const routes = await routesOf(wall);
  expect(routes.length).toBeGreaterThanOrEqual(6);
  for (const { method, path } of routes) {
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const ask = { method, path, headers: headersOf(wall), ...(hasBody && { body: {} }) };
    const { status, headers } = await wall.http(ask);
    expect([method, path, status]).toEqual([method, path, 401]);
    expect(headers['www-authenticate']).toContain('Bearer');
  }
});

it.each(['first', 'second'])('refuses two Authorization headers, the %s good', async (which) => {
  const good = `Authorization: Bearer ${wall.token}`;
  const both = which === 'first' ? [good, 'Authorization: x'] : ['Authorization: x', good];
  for (const { method, path } of await routesOf(wall)) {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...both, 'Connection: close'];
    expect((await wall.raw(...head)).status).toBe(400);
  }
});

it('does not take the token from the address (CVE-2026-55605)', async () => {
  for (const query of ['token', 'access_token', 'authorization', 'api_key']) {
    const path = `/metrics?${query}=${wall.token}`;
    expect((await wall.http({ path, headers: { authorization: undefined } })).status).toBe(401);
  }
});

it.each([
  '/metrics/',
  '/metrics/../metrics',
  '/%6detrics',
  '/METRICS',
  '/metrics;a=b',
  '/./metrics',
  '/mcp/../metrics',
  '/metrics%00',
  '/health/../metrics',
  '//metrics',
])('serves nothing at %s, another spelling of a protected path (CVE-2026-48710)', async (path) => {
  const { status, text } = await wall.http({ path, headers: { authorization: undefined } });
  expect([400, 401, 404]).toContain(status);
  expect(text).not.toContain('tutti_tool');
});

it('gives nothing for an unknown session, stream, run or task (ContextForge #3891)', async () => {
  const unknown = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = { method: 'POST', body: list } as const;
  const inSession = await wall.http({ ...post, path: '/mcp', headers: unknown });
  expect([inSession.status, inSession.text.includes('"tools"')]).toEqual([404, false]);
  expect((await wall.http({ ...post, path: '/messages?sessionId=x' })).status).toBe(404);
  expect((await wall.http({ ...post, path: '/mcp/servers/unknown' })).status).toBe(404);
  expect((await wall.http({ path: '/servers/unknown/mcp' })).status).toBe(404);
});

it.each(sampleSeeded(['0.0.0.0', '::', '0', '192.0.2.1', '[::]'], 2))(
  'does not listen on %s without a token of its own (CVE-2026-45805, CVE-2026-59726)',
  async (host) => {
    const { exitCode, output } = await wall.cli('serve', '--port', '0', '--host', host);
    expect(output).not.toContain('listening on');
    expect(exitCode).not.toBe(0);
    if (host !== '[::]') expect(output).toContain('gateway.open_bind_refused');
  },
);

it('shows counts alone to probes without a token', async () => {
  const authorization = undefined;
  for (const path of ['/', '/health', '/ready']) {
    const { status, text } = await wall.http({ path, headers: { authorization } });
    expect(status).toBe(200);
    expect(text).not.toContain('review_code');
    expect(text).not.toContain(wall.token);
  }
});
