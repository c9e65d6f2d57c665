import { expect, it } from 'vitest';
import { aWall, routesOf, rpcOf } from '../support/wall/a-wall.ts';

const wall = aWall();

/** Names that a page rebinds to 127.0.0.1, or writes so that they look like ours. */
const hosts = [
  'evil.example',
  'evil.example:PORT',
  'localhost.evil.example:PORT',
  '127.0.0.1.nip.io:PORT',
  'localhost@evil.example',
  'evil.example#localhost',
  '127.0.0.1:PORT/evil',
  '0.0.0.0:PORT',
  '[::ffff:a9fe:a9fe]:PORT',
  '169.254.169.254',
  'localhost%00.evil.example',
  'xn--localhost-1f7d',
  '',
] as const;

it.each(hosts)(
  'refuses the Host %j on every route (CVE-2025-66414, 66416, CVE-2026-34742)',
  async (host) => {
    for (const { method, path } of [...(await routesOf(wall)), ...openRoutes]) {
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${host.replace('PORT', String(wall.port))}`,
        `Authorization: Bearer ${wall.token}`,
        'Content-Length: 0',
        'Connection: close',
      ];
      expect([path, (await wall.raw(...head)).status]).toEqual([path, 403]);
    }
  },
);

const openRoutes = ['/', '/health', '/ready'].map((path) => ({ method: 'GET', path }));

const origins = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://evil.example:8004',
  'null',
  'file://',
  'chrome-extension://abcdef',
  'http://localhost@evil.example',
  'http://localhost/evil',
  'https://evil.example, http://localhost',
  '',
] as const;

it.each(origins)(
  'refuses the Origin %j on every route (CVE-2026-59723, 46555, CVE-2025-59163)',
  async (origin) => {
    for (const { method, path } of [...(await routesOf(wall)), ...openRoutes]) {
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const { status, headers } = await wall.http({
        method,
        path,
        headers: { origin },
        ...(hasBody && { body: {} }),
      });
      expect([path, status]).toEqual([path, 403]);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  },
);

it.each([
  ['cross-site', 'cors', 'empty'],
  ['cross-site', 'no-cors', 'image'],
  ['cross-site', 'no-cors', 'script'],
  ['same-site', 'cors', 'empty'],
  ['cross-site', 'navigate', 'iframe'],
  ['cross-site', 'websocket', 'websocket'],
])('refuses a page %s %s %s on every route', async (site, mode, dest) => {
  const from = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
  for (const { method, path } of [...(await routesOf(wall)), ...openRoutes]) {
    const { status } = await wall.http({ method, path, headers: from });
    expect([path, status]).toEqual([path, 403]);
  }
});

it('refuses a form of another page that posts to any route', async () => {
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  for (const { method, path } of await routesOf(wall)) {
    if (method === 'GET') continue;
    expect((await wall.http({ method, path, headers: form, body: 'a=b' })).status).toBe(403);
  }
});

it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
  'takes no body of type %j, which a page may send without asking (CVE-2026-49471)',
  async (type) => {
    for (const { method, path } of await routesOf(wall)) {
      if (method !== 'POST') continue;
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const { status } = await wall.http({ method, path, headers: { 'content-type': type }, body });
      expect(path === '/mcp' ? [415] : [400, 404, 406, 415]).toContain(status);
    }
  },
);

it('does not become a WebSocket (CVE-2026-59950)', async () => {
  for (const path of ['/', '/mcp', '/sse', '/ws']) {
    const answer = await wall.raw(
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: Upgrade, close',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    );
    expect(answer.status).not.toBe(101);
  }
});

it.each(['https://evil.example', 'null', 'http://localhost:3000'])(
  'grants no preflight to %s, with credentials or for private networks (CVE-2026-2611)',
  async (origin) => {
    const { status, headers } = await wall.http({
      method: 'OPTIONS',
      path: '/mcp',
      headers: {
        origin,
        authorization: undefined,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
        'access-control-request-private-network': 'true',
      },
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  },
);

it('sends headers with every answer that keep it from being framed, sniffed, cached or embedded', async () => {
  for (const { path } of [
    ...openRoutes,
    { path: '/metrics' },
    { path: '/nope' },
    { path: '/mcp' },
  ]) {
    const { headers } = await wall.http({ path, headers: { accept: '*/*' } });
    expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy'], path).toContain("default-src 'none'");
    expect(headers['x-content-type-options'], path).toBe('nosniff');
    expect(headers['referrer-policy'], path).toBe('no-referrer');
    expect(headers['cache-control'], path).toContain('no-store');
    expect(headers['cross-origin-resource-policy'], path).toBe('same-origin');
  }
});

it.each<[Readonly<Record<string, string | undefined>>, string]>([
  [{ 'mcp-method': 'tools/list' }, 'Mcp-Method'],
  [{ 'mcp-name': 'admin__get_status' }, 'Mcp-Name'],
  [{ 'mcp-protocol-version': '2025-11-25' }, 'MCP-Protocol-Version'],
  [{ 'mcp-method': '' }, 'Mcp-Method'],
  [{ 'mcp-name': undefined }, 'Mcp-Name'],
  [{ 'mcp-name': '=?base64?!!?=' }, 'Mcp-Name'],
  [{ 'mcp-method': 'TOOLS/CALL' }, 'Mcp-Method'],
])('refuses a call whose headers say otherwise than its body: %j', async (headers, name) => {
  const call = { name: 'admin__list_tools', arguments: {} };
  const stateless = await wall.stateless('tools/call', call, headers);
  expect([stateless.status, rpcOf(stateless)]).toMatchObject([400, { error: { code: -32_020 } }]);
  expect(stateless.text).toContain(name);
  const isOptional = 'mcp-name' in headers && headers['mcp-name'] === undefined;
  // Sessions need no such header, and have agreed on a version.
  if (name === 'MCP-Protocol-Version' || isOptional) return;
  const inSession = await wall.inSession('tools/call', call, headers);
  expect([inSession.status, rpcOf(inSession)]).toMatchObject([400, { error: { code: -32_020 } }]);
});

it.each([
  ['two Hosts', ['Host: 127.0.0.1', 'Host: evil.example']],
  ['two lengths', ['Host: 127.0.0.1', 'Content-Length: 2', 'Content-Length: 3']],
  ['length and chunks', ['Host: 127.0.0.1', 'Content-Length: 2', 'Transfer-Encoding: chunked']],
  ['chunks that are none', ['Host: 127.0.0.1', 'Transfer-Encoding: chunked, identity']],
  ['an unknown encoding', ['Host: 127.0.0.1', 'Transfer-Encoding: xchunked']],
  ['a folded header', ['Host: 127.0.0.1', 'X: a', '\tb']],
  ['two sessions', ['Host: 127.0.0.1', 'Mcp-Session-Id: a', 'Mcp-Session-Id: b']],
  ['two methods', ['Host: 127.0.0.1', 'Mcp-Method: ping', 'Mcp-Method: tools/call']],
])('refuses %s, which a proxy may read differently', async (_what, lines) => {
  const answer = await wall.raw('POST /mcp HTTP/1.1', ...lines, 'Connection: close');
  expect(answer.status).toBe(400);
});

it.each([
  'http://evil.example/metrics',
  'http://127.0.0.1/metrics',
  '//metrics',
  '/\\metrics',
  '*',
])('refuses the target %s', async (target) => {
  const line = `GET ${target} HTTP/1.1`;
  const token = `Authorization: Bearer ${wall.token}`;
  const answer = await wall.raw(line, 'Host: 127.0.0.1', token, 'Connection: close');
  expect(answer.status).toBe(400);
});
