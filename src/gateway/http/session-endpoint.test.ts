import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startListener } from '../../http/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { FixtureServer } from '../../../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../../../testkit/gateway/memory-client-sessions.ts';
import { aPeer } from '../../../testkit/gateway/http-peer.ts';
import { createMcpRoutes } from './http-gateway.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const json = { 'content-type': 'application/json' };

describe('a session', () => {
  it('begins with initialize and answers requests that name it', async () => {
    const peer = await aPeer();
    const session = await peer.session();
    const answer = await peer.post(
      { ...ping, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } },
      session,
    );
    expect(answer).toMatchObject({ status: 200, json: { result: { content: [{ text: 'x' }] } } });
    expect(answer.json['result']).not.toHaveProperty('resultType');
  });

  it('is not begun by an initialize that fails', async () => {
    const peer = await aPeer();
    const answer = await peer.post({ ...ping, method: 'initialize' });
    expect(answer.json).toMatchObject({ error: { code: -32_602 } });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    expect((await peer.send({ method: 'GET', path: '/health' })).json['sessions']).toBe(0);
  });

  it('streams progress of a call on its POST', async () => {
    const peer = await aPeer();
    const params = { name: 'steps', arguments: { count: 1 }, _meta: { progressToken: 'p' } };
    const answer = await peer.post({ ...ping, method: 'tools/call', params }, await peer.session());
    expect(answer.text).toMatch(/notifications\/progress[^]*"done"/);
  });

  it('tells of changes on its one GET stream', async () => {
    const peer = await aPeer();
    const headers = await peer.session();
    const stream = await peer.stream('/mcp', { headers });
    expect((await peer.send({ method: 'GET', headers })).status).toBe(409);
    peer.server.change({ kind: 'prompts' });
    expect(await stream.nextJson()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    stream.leave();
    await vi.waitFor(async () => {
      const again = await peer.stream('/mcp', { headers });
      expect(again.response.status).toBe(200);
    });
  });

  it('is over after DELETE', async () => {
    const peer = await aPeer();
    const headers = await peer.session();
    expect((await peer.send({ method: 'DELETE', headers })).status).toBe(204);
    expect((await peer.post(ping, headers)).status).toBe(404);
    expect((await peer.send({ method: 'DELETE', headers })).status).toBe(404);
    expect((await peer.send({ method: 'GET', headers })).status).toBe(404);
  });

  it('stops a call that is cancelled, or whose client went away', async () => {
    const peer = await aPeer();
    const headers = await peer.session();
    const params = { name: 'wait', arguments: {} };
    const pending = peer.post({ ...ping, id: 'w', method: 'tools/call', params }, headers);
    await vi.waitFor(() => expect(peer.server.calls).toHaveLength(1));
    const cancel = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'w' },
    };
    expect((await peer.post(cancel, headers)).status).toBe(202);
    expect(await pending).toMatchObject({ status: 202, text: '' });
    const leaving = new AbortController();
    const left = fetch(`${peer.gateway.url}/mcp`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ ...ping, id: 'x', method: 'tools/call', params }),
      signal: leaving.signal,
    });
    await vi.waitFor(() => expect(peer.server.calls).toHaveLength(2));
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(peer.server.calls[1]?.signal.aborted).toBe(true));
  });

  it('takes batches in the version that has them, and responses that answer nothing', async () => {
    const peer = await aPeer();
    const old = await peer.session('2025-03-26');
    const batch = [ping, { ...ping, id: 2, method: 'nope' }] as never;
    expect((await peer.post(batch, old)).json).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32_601 } },
    ]);
    expect((await peer.post([{ jsonrpc: '2.0', method: 'n' }] as never, old)).status).toBe(202);
    expect((await peer.post(batch, await peer.session())).status).toBe(400);
    expect((await peer.post({ jsonrpc: '2.0', id: 1, result: {} }, old)).status).toBe(202);
  });

  it('stops a batch whose client went away, and carries its trace context', async () => {
    const peer = await aPeer();
    const headers = await peer.session('2025-03-26');
    const leaving = new AbortController();
    const left = fetch(`${peer.gateway.url}/mcp`, {
      method: 'POST',
      headers: { ...json, ...headers, traceparent: '00-a-b-01' },
      body: JSON.stringify([{ ...ping, method: 'tools/call', params: { name: 'wait' } }]),
      signal: leaving.signal,
    });
    await vi.waitFor(() => expect(peer.server.calls).toHaveLength(1));
    expect(peer.server.calls[0]?.meta).toEqual({ traceparent: '00-a-b-01' });
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(peer.server.calls[0]?.signal.aborted).toBe(true));
  });

  it('counts as used until its batch is answered', async () => {
    let peer: Awaited<ReturnType<typeof aPeer>> | undefined = undefined;
    const calls = (): number => peer?.server.calls.length ?? 0;
    peer = await aPeer({
      // An hour passes while the call runs.
      clock: { now: () => calls() * 3_600_000 },
      limits: { checkEveryMs: 5 },
    });
    const headers = await peer.session('2025-03-26');
    await peer.session();
    const params = { name: 'echo', arguments: { text: 'x' } };
    await peer.post([{ ...ping, method: 'tools/call', params }] as never, headers);
    const health = () => peer.send({ method: 'GET', path: '/health' });
    // The other session shows when idle ones were looked for.
    await vi.waitFor(async () => expect((await health()).json['sessions']).not.toBe(2));
    expect((await peer.post(ping, headers)).status).toBe(200);
  });

  it('is refused without its id, with a wrong one or a wrong version', async () => {
    const peer = await aPeer();
    const headers = await peer.session();
    expect((await peer.post(ping)).status).toBe(400);
    expect((await peer.post(ping, { 'mcp-session-id': 'nobody' })).status).toBe(404);
    expect((await peer.post(ping, { ...headers, 'mcp-protocol-version': '1.0' })).status).toBe(400);
    const initialize = { ...ping, method: 'initialize', params: { protocolVersion: 'x' } };
    expect((await peer.post(initialize, headers)).json).toMatchObject({
      error: { code: -32_600 },
    });
    expect((await peer.post(initialize, { 'mcp-session-id': 'nobody' })).status).toBe(404);
    expect(
      (await peer.send({ method: 'GET', headers: { ...headers, accept: 'text/html' } })).status,
    ).toBe(406);
  });

  it('is closed after the idle time, and opened again by its next request', async () => {
    let now = 0;
    const peer = await aPeer({
      clock: { now: () => now },
      limits: { sessionIdleMs: 1_000, checkEveryMs: 5 },
    });
    const headers = await peer.session();
    now = 1_001;
    await vi.waitFor(async () =>
      expect((await peer.send({ method: 'GET', path: '/health' })).json['sessions']).toBe(0),
    );
    expect((await peer.post(ping, headers)).status).toBe(200);
    expect((await peer.send({ method: 'GET', path: '/health' })).json['sessions']).toBe(1);
  });

  it('is over when it expires, in use or not', async () => {
    let now = 0;
    const peer = await aPeer({ clock: { now: () => now }, limits: { sessionLifetimeMs: 1_000 } });
    const [used, unused] = [await peer.session(), await peer.session()];
    now = 999;
    expect((await peer.post(ping, used)).status).toBe(200);
    now = 1_000;
    expect((await peer.post(ping, used)).status).toBe(404);
    expect((await peer.post(ping, unused)).status).toBe(404);
  });

  it('gives way to another one when it is the longest idle, unless it is in use', async () => {
    const peer = await aPeer({ limits: { maxSessions: 1 } });
    const first = await peer.session();
    const second = await peer.session();
    expect((await peer.post(ping, first)).status).toBe(200);
    expect((await peer.send({ method: 'GET', path: '/health' })).json['sessions']).toBe(1);
    const stream = await peer.stream('/mcp', { headers: second });
    const params = { protocolVersion: '2025-11-25' };
    const third = await peer.post({ ...ping, method: 'initialize', params });
    expect(third).toMatchObject({
      status: 503,
      json: { id: 1, error: { data: { code: 'gateway.too_many_sessions' } } },
      headers: { 'retry-after': '1' },
    });
    expect(await peer.post(ping, first)).toMatchObject({
      status: 503,
      json: { error: { data: { code: 'gateway.too_many_sessions' } } },
    });
    stream.leave();
  });
});

it('does not exist for another caller than the one that opened it', async () => {
  const server = new FixtureServer();
  const mcp = createMcpRoutes({
    server,
    sessions: sharedSessions(),
    log: silentLog,
    version: '1',
    isAuthenticated: true,
  });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: mcp.routes,
    identify: ({ headers }) => ({ kind: 'caller', caller: { id: String(headers['x-caller']) } }),
    isAuthenticated: true,
    log: silentLog,
  });
  onTestFinished(async () => {
    mcp.close();
    await listener.close();
  });
  const post = (caller: string, method: string, headers: Record<string, string> = {}) =>
    fetch(`${listener.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-caller': caller, ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    });
  const opened = await post('anna', 'initialize');
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  expect((await post('anna', 'ping', session)).status).toBe(200);
  expect((await post('bob', 'ping', session)).status).toBe(404);
  const missing = await post('bob', 'ping', { 'mcp-session-id': 'missing' });
  expect(await (await post('bob', 'ping', session)).text()).toBe(await missing.text());
});
