import { describe, expect, it, vi } from 'vitest';
import { Admission } from '../../http/index.ts';
import { aPeer, statelessBody } from '../../../testkit/gateway/http-peer.ts';
import { statelessMeta } from '../../../testkit/gateway/stdio-peer.ts';

const json = { 'content-type': 'application/json' };

/** A call that runs until its client goes away. */
const waiting = {
  method: 'POST',
  body: JSON.stringify(statelessBody('tools/call', { name: 'wait' })),
  headers: {
    ...json,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'wait',
  },
};

describe('a stateless request', () => {
  it('is answered as JSON, without a session', async () => {
    const peer = await aPeer();
    const answer = await peer.stateless('tools/call', { name: 'sum', arguments: { a: 2, b: 3 } });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      json: { id: 1, result: { resultType: 'complete', structuredContent: { total: 5 } } },
    });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  });

  it('becomes a stream when there is progress to tell', async () => {
    const peer = await aPeer();
    const _meta = { ...statelessMeta, progressToken: 7 };
    const answer = await peer.stateless('tools/call', {
      name: 'steps',
      arguments: { count: 2 },
      _meta,
    });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.headers['x-accel-buffering']).toBe('no');
    const events = [...answer.text.matchAll(/data: (.*)/g)].map((match) =>
      JSON.parse(String(match[1])),
    );
    expect(events).toMatchObject([
      { params: { progressToken: 7, progress: 1 } },
      { params: { progressToken: 7, progress: 2 } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  it('stays JSON for a client that takes no streams', async () => {
    const peer = await aPeer();
    const params = { name: 'steps', arguments: { count: 2 } };
    const _meta = { ...statelessMeta, progressToken: 7 };
    const answer = await peer.stateless(
      'tools/call',
      { ...params, _meta },
      { accept: 'application/json' },
    );
    expect(answer.json).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });

  it('becomes a stream with signs of life when the answer takes long', async () => {
    const peer = await aPeer({ limits: { streamHeartbeatMs: 20 } });
    const stream = await peer.stream('/mcp', waiting);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.nextRaw()).toContain(': alive');
    stream.leave();
    await vi.waitFor(() => expect(peer.server.calls[0]?.signal.aborted).toBe(true));
  });

  it('is refused with 400 when headers and body disagree or the version is unknown', async () => {
    const peer = await aPeer();
    const wrong = await peer.stateless('tools/list', {}, { 'mcp-method': 'prompts/list' });
    expect(wrong).toMatchObject({ status: 400, json: { id: 1, error: { code: -32_020 } } });
    const _meta = { ...statelessMeta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const unknown = await peer.stateless(
      'tools/list',
      { _meta },
      { 'mcp-protocol-version': '2031-01-01' },
    );
    expect(unknown).toMatchObject({ status: 400, json: { error: { code: -32_022 } } });
    const bare = await peer.stateless('tools/list', { _meta: {} });
    expect(bare).toMatchObject({ status: 400, json: { id: 1, error: { code: -32_602 } } });
  });

  it('for an unknown method is a 404; other errors are 200', async () => {
    const peer = await aPeer();
    expect(await peer.stateless('ping')).toMatchObject({
      status: 404,
      json: { error: { code: -32_601 } },
    });
    expect(await peer.stateless('tools/call', { name: 'nope' })).toMatchObject({
      status: 200,
      json: { error: { code: -32_602 } },
    });
  });

  it('is refused while as many run as may, and served again afterwards', async () => {
    const peer = await aPeer({
      admission: new Admission({ maxCalls: 1 }),
      limits: { streamHeartbeatMs: 20 },
    });
    const running = await peer.stream('/mcp', waiting);
    expect(await peer.stateless('tools/list')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { id: 1, error: { code: -32_603, data: { code: 'gateway.too_many_requests' } } },
    });
    running.leave();
    await vi.waitFor(async () => expect((await peer.stateless('tools/list')).status).toBe(200));
  });

  it('must repeat in a header the argument whose schema asks for it', async () => {
    const peer = await aPeer();
    const params = { name: 'routed', arguments: { region: 'eu' } };
    const good = await peer.stateless('tools/call', params, { 'mcp-param-region': 'eu' });
    expect(good.json).toMatchObject({ result: { content: [{ text: 'region eu' }] } });
    const bad = await peer.stateless('tools/call', params, { 'mcp-param-region': 'us' });
    expect(bad).toMatchObject({ status: 400, json: { error: { code: -32_020 } } });
    peer.server.change({ kind: 'tools' });
    peer.server.listFailure = new Error('no list');
    expect(await peer.stateless('tools/call', params)).toMatchObject({
      json: { error: { code: -32_603 } },
    });
    peer.server.listFailure = undefined;
    expect((await peer.stateless('tools/call', params)).status).toBe(400);
  });

  it('takes trace context from headers when _meta has none', async () => {
    const peer = await aPeer();
    const trace = { traceparent: '00-a-b-01', tracestate: 's' };
    await peer.stateless('tools/call', { name: 'echo' }, trace);
    expect(peer.server.calls[0]?.meta).toMatchObject(trace);
    const _meta = { ...statelessMeta, traceparent: '00-own-b-01' };
    await peer.stateless('tools/call', { name: 'echo', _meta }, trace);
    expect(peer.server.calls[1]?.meta).toEqual(_meta);
  });

  it('listens for changes until it leaves or the server closes', async () => {
    const peer = await aPeer();
    const params = { notifications: { toolsListChanged: true } };
    const open = () =>
      peer.stream('/mcp', {
        method: 'POST',
        body: JSON.stringify(statelessBody('subscriptions/listen', params)),
        headers: {
          ...json,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
      });
    const first = await open();
    const second = await open();
    for (const stream of [first, second]) {
      expect(await stream.nextJson()).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
      });
    }
    peer.server.change({ kind: 'tools' });
    expect(await first.nextJson()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    first.leave();
    // One listener is the endpoint's own, the other the second stream's.
    await vi.waitFor(() => expect(peer.server.listenerCount).toBe(2));
    await second.nextJson();
    await peer.gateway.close();
    expect(await second.nextJson()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(await second.next()).toBeUndefined();
  });

  it('is refused a subscription that is none, or one too many', async () => {
    const peer = await aPeer({ limits: { maxSubscriptions: 0 } });
    expect(
      (await peer.stateless('subscriptions/listen', { notifications: {} })).json,
    ).toMatchObject({ error: { data: { code: 'gateway.too_many_subscriptions' } } });
    const other = await aPeer();
    expect((await other.stateless('subscriptions/listen')).json).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it('has no GET, no DELETE, no batches; a notification is taken and means nothing', async () => {
    const peer = await aPeer();
    const headers = { ...json, 'mcp-protocol-version': '2026-07-28' };
    for (const method of ['GET', 'DELETE']) {
      const answer = await peer.send({ method, headers });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
    expect(
      (await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }] as never, headers)).status,
    ).toBe(400);
    expect((await peer.post({ jsonrpc: '2.0', method: 'n' }, headers)).status).toBe(202);
  });
});
