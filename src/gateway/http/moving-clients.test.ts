import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { aPeer, type HttpPeer } from '../../../testkit/gateway/http-peer.ts';
import {
  MemoryClientSessions,
  sharedSessions,
} from '../../../testkit/gateway/memory-client-sessions.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const call = (name: string, args: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function instances() {
  const store = new MemoryClientSessions();
  const sessions = sharedSessions(store);
  return { store, one: await aPeer({ sessions }), other: await aPeer({ sessions }) };
}

const sessionsOf = async (peer: HttpPeer) =>
  (await peer.send({ method: 'GET', path: '/health' })).json['sessions'];

describe('a client that goes on at another instance', () => {
  it('needs no initialize and keeps its version and capabilities', async () => {
    const { one, other } = await instances();
    const headers = await one.session('2025-03-26', { sampling: {} });
    await one.stop();
    const batch = [ping, { ...ping, id: 2 }] as never;
    expect((await other.post(batch, headers)).json).toMatchObject([{ id: 1 }, { id: 2 }]);
    const initialize = { ...ping, method: 'initialize', params: { protocolVersion: 'x' } };
    expect((await other.post(initialize, headers)).json).toMatchObject({
      error: { message: 'This session is initialized already' },
    });
    await other.post(call('echo', { text: 'x' }), headers);
    expect(other.server.calls.at(-1)?.client?.capabilities).toEqual({ sampling: {} });
  });

  it('is served from memory after its first request', async () => {
    const { store, one, other } = await instances();
    const headers = await one.session();
    await Promise.all(Array.from({ length: 20 }, () => other.post(ping, headers)));
    expect(await sessionsOf(other)).toBe(1);
    await other.post(ping, headers);
    expect(store.reads).toBe(1);
  });

  it('opens its GET stream there', async () => {
    const { one, other } = await instances();
    const headers = await one.session();
    await one.stop();
    const stream = await other.stream('/mcp', { headers });
    other.server.change({ kind: 'prompts' });
    expect(await stream.nextJson()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    stream.leave();
  });

  it('keeps its log level and the resources it watches', async () => {
    const { one, other } = await instances();
    const headers = await one.session();
    const set = { ...ping, method: 'logging/setLevel', params: { level: 'error' } };
    await one.post(set, headers);
    await one.post(
      { ...ping, method: 'resources/subscribe', params: { uri: 'memo://a' } },
      headers,
    );
    await one.stop();
    const stream = await other.stream('/mcp', { headers });
    other.server.change({ kind: 'log', params: { level: 'info', data: 'quiet' } });
    other.server.change({ kind: 'resource', uri: 'memo://b' });
    other.server.change({ kind: 'resource', uri: 'memo://a' });
    expect(await stream.nextJson()).toMatchObject({ params: { uri: 'memo://a' } });
    stream.leave();
  });

  it('gets the same answer for an id that is forged, changed, ended or of another key', async () => {
    const { one, other } = await instances();
    const stranger = await aPeer({
      sessions: { ...sharedSessions(), secrets: () => [new Secret('another')] },
    });
    const headers = await one.session();
    const id = headers['mcp-session-id'] ?? '';
    const unknown = await other.post(ping, { 'mcp-session-id': 'unknown' });
    expect(unknown.status).toBe(404);
    const foreign = (await stranger.session())['mcp-session-id'] ?? '';
    for (const wrong of [`${id}A`, id.slice(0, -1), id.slice(3), foreign, 'v2.a.b']) {
      const answer = await other.post(ping, { 'mcp-session-id': wrong });
      expect([answer.status, answer.text]).toEqual([404, unknown.text]);
    }
    await other.send({ method: 'DELETE', headers });
    const ended = await other.post(ping, headers);
    expect([ended.status, ended.text]).toEqual([404, unknown.text]);
  });
});

describe('a client of two instances at once', () => {
  it('ends its session at both', async () => {
    const { one, other } = await instances();
    const headers = await one.session();
    const stream = await one.stream('/mcp', { headers });
    expect((await other.post(ping, headers)).status).toBe(200);
    expect((await other.send({ method: 'DELETE', headers })).status).toBe(204);
    expect(await stream.next()).toBeUndefined();
    expect((await one.post(ping, headers)).status).toBe(404);
    expect((await other.post(ping, headers)).status).toBe(404);
  });

  it('answers a question of one at the other', async () => {
    const { one, other } = await instances();
    const headers = await one.session('2025-11-25', { elicitation: {} });
    const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
    const ask = { requests: [{ method: 'elicitation/create', params }] };
    const stream = await one.stream('/mcp', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(call('ask', ask)),
    });
    const question = await stream.nextJson();
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const answer = {
      jsonrpc: '2.0',
      id: question['id'],
      result: { action: 'accept', content: {} },
    };
    expect((await other.post(answer as never, headers)).status).toBe(202);
    expect(JSON.stringify(await stream.nextJson())).toContain('accept');
  });

  it('cancels a request of one at the other', async () => {
    const { one, other } = await instances();
    const headers = await one.session();
    const pending = one.post(call('wait', {}, 'w'), headers);
    await vi.waitFor(() => expect(one.server.calls).toHaveLength(1));
    const params = { requestId: 'w' };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    expect((await other.post(cancel, headers)).status).toBe(202);
    expect((await pending).status).toBe(202);
    expect(one.server.calls[0]?.signal.aborted).toBe(true);
  });

  it('watches at one what it subscribed to at the other', async () => {
    const { one, other } = await instances();
    const headers = await one.session();
    const stream = await one.stream('/mcp', { headers });
    const params = { uri: 'memo://a' };
    await other.post({ ...ping, method: 'resources/subscribe', params }, headers);
    const heard = stream.nextJson();
    await vi.waitFor(async () => {
      one.server.change({ kind: 'resource', uri: 'memo://a' });
      expect(await Promise.race([heard, Promise.resolve('nothing yet')])).toMatchObject({ params });
    });
    stream.leave();
  });
});

it('refuses to begin a session whose id would be too long', async () => {
  const peer = await aPeer();
  const capabilities = { experimental: { long: { text: 'x'.repeat(6_000) } } };
  const params = {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'a', version: '1' },
  };
  const answer = await peer.post({ ...ping, method: 'initialize', params });
  expect(answer.json).toMatchObject({ error: { code: -32_602 } });
  expect(answer.headers).not.toHaveProperty('mcp-session-id');
  expect(await sessionsOf(peer)).toBe(0);
});
