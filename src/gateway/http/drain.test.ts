import { expect, it, vi } from 'vitest';
import { Admission } from '../../http/index.ts';
import { aPeer } from '../../../testkit/gateway/http-peer.ts';
import { statelessMeta } from '../../../testkit/gateway/stdio-peer.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const drainLimitMs = 60_000;
const refused = {
  status: 503,
  headers: { 'retry-after': '1' },
  json: { error: { data: { code: 'gateway.draining' } } },
};

it('finishes what it has, answers to questions included, and takes nothing new', async () => {
  const peer = await aPeer();
  const headers = await peer.session('2025-11-25', { elicitation: {} });
  const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
  const asked = await peer.stream('/mcp', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...ping,
      method: 'tools/call',
      params: { name: 'ask', arguments: { requests: [{ method: 'elicitation/create', params }] } },
    }),
  });
  const { id } = await asked.nextJson();
  const stream = await peer.stream('/mcp', { headers });
  const listen = { _meta: statelessMeta, notifications: { toolsListChanged: true } };
  const subscription = await peer.stream('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ ...ping, method: 'subscriptions/listen', params: listen }),
  });
  await subscription.next();
  const drained = vi.fn();
  void peer.gateway.drain(drainLimitMs).then(drained);

  expect(await stream.next()).toBeUndefined();
  expect(await subscription.nextJson()).toMatchObject({ result: { resultType: 'complete' } });
  expect(await peer.post(ping, headers)).toMatchObject(refused);
  expect(await peer.stateless('tools/list')).toMatchObject(refused);
  const initialize = { ...ping, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  expect(await peer.post(initialize)).toMatchObject({ ...refused, json: { id: 1 } });
  expect(await peer.send({ method: 'GET', headers })).toMatchObject(refused);
  expect(await peer.send({ method: 'GET', path: '/sse' })).toMatchObject(refused);
  expect(await peer.send({ method: 'GET', path: '/ready' })).toMatchObject({
    status: 503,
    json: { status: 'draining' },
  });
  expect((await peer.send({ method: 'GET', path: '/health' })).status).toBe(200);
  expect(drained).not.toHaveBeenCalled();

  const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } };
  expect((await peer.post(answer, headers)).status).toBe(202);
  expect(JSON.stringify(await asked.nextJson())).toContain('accept');
  await vi.waitFor(() => expect(drained).toHaveBeenCalled());
});

it('waits no longer than its limit', async () => {
  const peer = await aPeer();
  const headers = await peer.session();
  const call = { ...ping, method: 'tools/call', params: { name: 'wait', arguments: {} } };
  void peer.post(call, headers).catch(() => {});
  await vi.waitFor(() => expect(peer.server.calls).toHaveLength(1));
  await peer.gateway.drain(10);
  expect(peer.server.calls[0]?.signal.aborted).toBe(false);
});

it('refuses calls beyond the limit, large ones unread, and still takes what ends others', async () => {
  const peer = await aPeer({ admission: new Admission({ maxCalls: 1 }) });
  const headers = await peer.session();
  const call = { ...ping, id: 'w', method: 'tools/call', params: { name: 'wait', arguments: {} } };
  const pending = peer.post(call, headers);
  await vi.waitFor(() => expect(peer.server.calls).toHaveLength(1));
  const full = {
    status: 429,
    headers: { 'retry-after': '1' },
    json: { error: { data: { code: 'gateway.too_many_requests' } } },
  };
  expect(await peer.post({ ...ping, id: 7 }, headers)).toMatchObject({ ...full, json: { id: 7 } });
  expect(await peer.post('x'.repeat(100_000), headers)).toMatchObject(full);
  const params = { requestId: 'w' };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
  expect((await peer.post(cancel, headers)).status).toBe(202);
  await pending;
  expect((await peer.post(ping, headers)).status).toBe(200);
});
