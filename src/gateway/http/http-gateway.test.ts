import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { FixtureError, FixtureServer } from '../../../testkit/gateway/fixture-server.ts';
import { aPeer } from '../../../testkit/gateway/http-peer.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const json = { 'content-type': 'application/json' };

describe('the HTTP+SSE transport of 2024', () => {
  it('names the endpoint first and answers on the stream', async () => {
    const peer = await aPeer();
    const stream = await peer.stream('/sse');
    const path = String(await stream.next());
    expect(path).toMatch(/^\/messages\?sessionId=/);
    const accepted = await peer.send({ path, headers: json, body: ping });
    expect(accepted.status).toBe(202);
    expect(await stream.nextJson()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await peer.send({ path, headers: json, body: '{oops' })).status).toBe(400);
    expect((await peer.send({ path, headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    stream.leave();
    await vi.waitFor(async () =>
      expect((await peer.send({ path, headers: json, body: ping })).status).toBe(404),
    );
  });

  it('refuses unknown streams, other methods, and too many streams', async () => {
    const peer = await aPeer({ limits: { maxSessions: 0 } });
    expect((await peer.send({ path: '/messages', headers: json, body: ping })).status).toBe(404);
    expect((await peer.send({ path: '/sse' })).status).toBe(405);
    expect((await peer.send({ method: 'GET', path: '/messages' })).status).toBe(405);
    expect((await peer.send({ method: 'GET', path: '/sse' })).status).toBe(503);
  });
});

describe('probes', () => {
  it('learn from /health that the process lives', async () => {
    const peer = await aPeer();
    expect((await peer.send({ method: 'GET', path: '/health' })).json).toEqual({
      status: 'ok',
      version: '4.5.6',
      uptimeSeconds: 0,
      sessions: 0,
    });
  });

  it('learn from /ready that tools are found, or why not', async () => {
    const peer = await aPeer({ token: new Secret('hunter2') });
    const authorization = 'Bearer hunter2';
    const ready = (headers = {}) => peer.send({ method: 'GET', path: '/ready', headers });
    expect(await ready()).toMatchObject({ status: 200, json: { status: 'ready', tools: 16 } });
    peer.server.listFailure = new FixtureError('fixture.broken', 'The fleet is broken');
    const reason = 'The fleet is broken';
    expect(await ready({ authorization })).toMatchObject({ status: 503, json: { reason } });
    expect(await ready()).toMatchObject({ status: 503, json: { reason: 'fixture.broken' } });
    peer.server.listFailure = new Error('secret');
    const answer = await ready();
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('secret');
    expect(peer.logged).toEqual(['tool discovery failed unexpectedly']);
  });

  it('learn from /ready that no server offers a tool', async () => {
    const server = Object.assign(new FixtureServer(), { listTools: async () => [] });
    const peer = await aPeer({ server });
    expect(await peer.send({ method: 'GET', path: '/ready' })).toMatchObject({
      status: 503,
      json: { status: 'not_ready', version: '4.5.6', reason: 'no server offers a tool' },
    });
  });
});

describe('who may call', () => {
  it.each([
    ['a name that is not ours', { host: 'evil.example' }, 403],
    ['a name that only begins like ours', { host: 'localhost.evil.example' }, 403],
    ['an address that only looks like loopback', { host: '127.0.0.1.evil.example' }, 403],
    ['credentials in the host', { host: 'localhost@evil.example' }, 403],
    ['a host that is none', { host: 'a b' }, 403],
    ['a fragment in the host', { host: 'localhost#evil.example' }, 403],
    ['an empty fragment', { host: 'localhost#' }, 403],
    ['an empty query', { host: '127.0.0.1?' }, 403],
    ['a path in the host', { host: '127.0.0.1:80/' }, 403],
    ['an empty name before the host', { host: '@127.0.0.1' }, 403],
    ['a password alone', { host: ':evil@localhost' }, 403],
    ['a host in escapes', { host: '%6cocalhost' }, 403],
    ['an origin with a fragment', { origin: 'http://localhost#evil' }, 403],
    ['an origin with a path', { origin: 'http://localhost/' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page from a file', { origin: 'file://x' }, 403],
    ['localhost', { host: 'localhost:1234' }, 200],
    ['IPv6 loopback', { host: '[::1]:80' }, 200],
    ['a page from loopback', { origin: 'http://localhost:3000' }, 200],
    ['a configured name', { host: 'tutti.example:80' }, 200],
    ['a configured origin', { origin: 'https://app.example' }, 200],
  ])('%s: %j gets %i', async (_name, headers, status) => {
    const peer = await aPeer({
      allowedHosts: ['tutti.example'],
      allowedOrigins: ['https://app.example'],
    });
    expect((await peer.send({ method: 'GET', path: '/health', headers })).status).toBe(status);
  });

  it.each([
    ['a name in capitals', { host: 'one.example' }],
    ['a name with a port', { host: 'two.example:81' }],
    ['a whole URL', { host: 'three.example' }],
    ['an IPv6 address', { host: '[2001:db8::1]:80' }],
    ['an origin in capitals', { origin: 'https://app.example' }],
    ['an origin with a slash', { origin: 'http://slash.example' }],
    ['an origin with the usual port', { origin: 'https://port.example' }],
    ['an origin that is no web page', { origin: 'app-extension://abc' }],
  ])('may be configured as people type it: %s', async (_name, headers) => {
    const peer = await aPeer({
      allowedHosts: ['One.Example', 'two.example:8080', 'https://three.example/', '2001:DB8::1'],
      allowedOrigins: [
        'https://App.Example',
        'http://slash.example/',
        'https://port.example:443',
        'app-extension://abc',
      ],
    });
    const answer = await peer.send({ method: 'OPTIONS', path: '/mcp', headers });
    expect(answer.status).toBe('origin' in headers ? 204 : 405);
  });

  it('nobody a rule that names no host or origin could be meant for', async () => {
    const peer = await aPeer({ allowedHosts: ['a b', ''], allowedOrigins: ['file:///x', ''] });
    const get = async (headers: Record<string, string>) =>
      (await peer.send({ method: 'GET', path: '/health', headers })).status;
    expect(await get({ host: 'a' })).toBe(403);
    expect(await get({ origin: 'null' })).toBe(403);
  });

  it('nobody who names no host', async () => {
    const peer = await aPeer();
    const ask = (host: string) => firstLine(peer.gateway.port, ['GET /health HTTP/1.1', host]);
    expect(await ask('Host:')).toBe('HTTP/1.1 403 Forbidden');
    expect(await ask('X: y')).toBe('HTTP/1.1 400 Bad Request');
  });

  it('only pages of configured origins may read answers', async () => {
    const peer = await aPeer({ allowedOrigins: ['https://app.example'] });
    const preflight = await peer.send({
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'https://app.example' },
    });
    const local = await peer.send({ method: 'OPTIONS', headers: { origin: 'http://localhost:1' } });
    expect(local.status).toBe(405);
    expect(local.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('a token is asked for once it is configured, except by probes', async () => {
    const peer = await aPeer({ token: new Secret('s3cret') });
    expect(await peer.post(ping)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="tutti"' },
    });
    for (const authorization of ['Bearer wrong', 'Basic czNjcmV0', 'Bearer', 'Bearer s3cret x']) {
      expect((await peer.post(ping, { authorization })).status).toBe(401);
    }
    expect((await peer.send({ method: 'GET', path: '/sse' })).status).toBe(401);
    const good = await peer.stateless('tools/list', {}, { authorization: 'bearer s3cret' });
    expect(good.status).toBe(200);
    expect((await peer.send({ method: 'GET', path: '/health' })).status).toBe(200);
  });

  it('nobody from outside, unless a token is configured', async () => {
    const local = await aPeer({ host: 'LocalHost' });
    expect(local.gateway.url).toMatch(/localhost/i);
    await expect(aPeer({ host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'gateway.open_bind_refused',
    });
    const peer = await aPeer({ host: '0.0.0.0', token: new Secret('t'), allowedHosts: ['*'] });
    const headers = { host: 'anything.example' };
    expect((await peer.send({ method: 'GET', path: '/health', headers })).status).toBe(200);
  });
});

describe('requests that are none', () => {
  it.each([
    ['text', { 'content-type': 'text/plain' }, '{}', 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, '{}', 415],
    ['no content type', {}, '{}', 415],
    ['an answer we cannot give', { ...json, accept: 'text/html' }, '{}', 406],
    ['malformed JSON', json, '{oops', 400],
    ['nothing', json, '', 400],
    ['a thousand levels', json, '['.repeat(1_000), 400],
    ['a body over the limit', json, 'x'.repeat(5_000), 413],
  ])('%s gets its status', async (_name, headers, body, status) => {
    const peer = await aPeer({ limits: { maxRequestBytes: 4_000 } });
    const answer = await peer.send({ headers, body });
    expect(answer).toMatchObject({ status, json: { jsonrpc: '2.0', id: null } });
  });

  it('charset utf-8 is no other charset', async () => {
    const peer = await aPeer();
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    expect((await peer.send({ headers, body: ping })).status).toBe(400);
  });

  it('a body without a length is cut off at the limit', async () => {
    const peer = await aPeer({ limits: { maxRequestBytes: 1_000 } });
    const answer = await peer.send({
      headers: { ...json, 'transfer-encoding': 'chunked' },
      body: 'x'.repeat(1_000_000),
    });
    expect(answer.status).toBe(413);
  });

  it('a client that asks first is told not to send too much, and to go on otherwise', async () => {
    const peer = await aPeer({ limits: { maxRequestBytes: 1_000 } });
    const ask = (length: number) =>
      firstLine(peer.gateway.port, [
        'POST /mcp HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        'Expect: 100-continue',
      ]);
    expect(await ask(50_000_000)).toBe('HTTP/1.1 413 Payload Too Large');
    expect(await ask(10)).toBe('HTTP/1.1 100 Continue');
  });

  it('headers that never end are cut off', async () => {
    const peer = await aPeer({
      limits: { headersTimeoutMs: 50, requestTimeoutMs: 50, checkEveryMs: 10 },
    });
    expect(
      await firstLine(peer.gateway.port, ['POST /mcp HTTP/1.1', 'Host: localhost'], '\r\n'),
    ).toBe('HTTP/1.1 408 Request Timeout');
  });

  it('other paths are not found', async () => {
    const peer = await aPeer();
    expect(await peer.send({ method: 'GET', path: '/nope' })).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
    });
    expect((await peer.send({ method: 'PUT' })).status).toBe(405);
  });

  it('one that meets a bug of ours costs that request only', async () => {
    const broken = {
      now: () => {
        throw new Error('bug');
      },
    };
    const clock = { now: () => 0 };
    const peer = await aPeer({ clock });
    Object.assign(clock, broken);
    expect((await peer.send({ method: 'GET', path: '/health' })).status).toBe(500);
    expect(peer.logged).toEqual(['http request failed unexpectedly']);
  });
});

describe('the gateway', () => {
  it('says so when the port is taken', async () => {
    const peer = await aPeer();
    await expect(aPeer({ port: peer.gateway.port })).rejects.toMatchObject({
      code: 'gateway.listen_failed',
      message: expect.stringContaining('EADDRINUSE'),
    });
  });

  it('closes within its limit, whatever still runs', async () => {
    const peer = await aPeer({ limits: { closeLimitMs: 20 } });
    const stream = await peer.stream('/sse');
    await stream.next();
    const pending = peer.stateless('tools/call', { name: 'wait' });
    await vi.waitFor(() => expect(peer.server.calls).toHaveLength(1));
    const dropped = pending.catch((error: unknown) => String(error));
    await peer.gateway.close();
    expect(await dropped).toContain('hang up');
    expect(await stream.next()).toBeUndefined();
    expect(peer.server.listenerCount).toBe(0);
  });

  it('cuts off a stream whose client does not read', async () => {
    const peer = await aPeer({ limits: { maxStreamBacklogBytes: 1_000 } });
    const headers = await peer.session();
    await peer.stream('/mcp', { headers });
    await peer.post(
      { ...ping, method: 'resources/subscribe', params: { uri: 'x'.repeat(1_000) } },
      headers,
    );
    await vi.waitFor(async () => {
      const change = { kind: 'resource', uri: 'x'.repeat(1_000) } as const;
      for (let n = 0; n < 2_000; n += 1) peer.server.change(change);
      const again = await peer.stream('/mcp', { headers });
      again.leave();
      expect(again.response.status).toBe(200);
    });
  });

  it('treats IPv6 like IPv4', async () => {
    // Where the machine has no IPv6 the address in the error shows the same.
    const url = await aPeer({ host: '::1' }).then(
      (peer) => peer.gateway.url,
      (error: unknown) => String(error),
    );
    expect(url).toMatch(/http:\/\/\[::1\]:|::1/);
    await expect(aPeer({ host: '::' })).rejects.toMatchObject({
      code: 'gateway.open_bind_refused',
    });
  });
});

/** The first line a server answers to these lines, sent as they are. */
function firstLine(port: number, lines: readonly string[], end = '\r\n\r\n'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(lines.join('\r\n') + end));
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
