import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { statelessMeta, StdioPeer } from '../../testkit/gateway/stdio-peer.ts';

describe('a client of the handshake era', () => {
  it('is greeted with the version it asked for, our capabilities and our name', async () => {
    const peer = new StdioPeer();
    expect(await peer.initialize('2025-06-18')).toMatchObject({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true }, logging: {}, completions: {} },
        serverInfo: { name: 'fixture', version: '1.2.3' },
        instructions: 'For tests.',
      },
    });
  });

  it('is offered the newest version when it requests an unknown one', async () => {
    const peer = new StdioPeer();
    expect(await peer.initialize('1999-01-01')).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    });
  });

  it('cannot initialize twice or without a version', async () => {
    const peer = new StdioPeer();
    expect(await peer.ask('initialize', {})).toMatchObject({ error: { code: -32_602 } });
    expect(
      await peer.ask('initialize', { protocolVersion: '2025-11-25', capabilities: 5 }),
    ).toMatchObject({ error: { code: -32_602 } });
    await peer.initialize();
    expect(await peer.initialize()).toMatchObject({ error: { code: -32_600 } });
  });

  it('gets plain results, without what the other era adds', async () => {
    const peer = new StdioPeer();
    await peer.initialize();
    expect(await peer.ask('ping')).toMatchObject({ result: {} });
    expect((await peer.ask('tools/list'))['result']).not.toHaveProperty('resultType');
    expect(await peer.ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })).toMatchObject(
      {
        result: { content: [{ type: 'text', text: 'hi' }] },
      },
    );
  });

  it('hears of changed listings, and of resources it subscribed to', async () => {
    const peer = new StdioPeer();
    peer.server.change({ kind: 'tools' });
    await peer.initialize();
    await peer.ask('resources/subscribe', { uri: 'fixture://text' });
    for (const kind of ['tools', 'prompts', 'resources'] as const) peer.server.change({ kind });
    peer.server.change({ kind: 'resource', uri: 'fixture://other' });
    peer.server.change({ kind: 'resource', uri: 'fixture://text' });
    await peer.ask('resources/unsubscribe', { uri: 'fixture://text' });
    peer.server.change({ kind: 'resource', uri: 'fixture://text' });
    await peer.ask('ping');
    expect(peer.received).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
      {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri: 'fixture://text' },
      },
    ]);
  });

  it('may set a log level that exists', async () => {
    const peer = new StdioPeer();
    expect(await peer.ask('logging/setLevel', { level: 'warning' })).toMatchObject({ result: {} });
    expect(await peer.ask('logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it('may send batches only in a version that has them', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2 },
      { jsonrpc: '2.0', id: 3, result: {} },
    ];
    const old = new StdioPeer();
    await old.initialize('2025-03-26');
    old.write(batch);
    expect(await old.take()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32_600 } },
    ]);
    const recent = new StdioPeer();
    await recent.initialize('2025-11-25');
    recent.write(batch);
    expect(await recent.take()).toMatchObject({ id: null, error: { code: -32_600 } });
  });

  it('cannot subscribe without end', async () => {
    const peer = new StdioPeer();
    for (let n = 0; n < 1_000; n += 1) await peer.ask('resources/subscribe', { uri: `u:${n}` });
    expect(await peer.ask('resources/subscribe', { uri: 'u:more' })).toMatchObject({
      error: { data: { code: 'gateway.too_many_subscriptions' } },
    });
  });
});

describe('a client of the stateless era', () => {
  it('learns versions and capabilities by server/discover', async () => {
    const peer = new StdioPeer();
    expect(await peer.askStateless('server/discover')).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture' } },
      },
    });
  });

  it('gets results that say what they are and how long they keep', async () => {
    const peer = new StdioPeer();
    const listed = await peer.askStateless('tools/list');
    expect(listed).toMatchObject({ result: { resultType: 'complete', ttlMs: 5_000 } });
    const read = await peer.askStateless('resources/read', { uri: 'fixture://text' });
    expect(read).toMatchObject({ result: { ttlMs: 0, contents: [{ text: 'contents' }] } });
    const called = await peer.askStateless('tools/call', {
      name: 'sum',
      arguments: { a: 1, b: 2 },
    });
    expect(called).toMatchObject({ result: { structuredContent: { total: 3 } } });
    expect(called['result']).not.toHaveProperty('ttlMs');
  });

  it('is refused versions we do not speak and methods of the other era', async () => {
    const peer = new StdioPeer();
    const _meta = { ...statelessMeta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    expect(await peer.ask('tools/list', { _meta })).toMatchObject({
      error: { code: -32_022, data: { requested: '2031-01-01' } },
    });
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe']) {
      expect(await peer.askStateless(method)).toMatchObject({ error: { code: -32_601 } });
    }
    expect(await peer.ask('server/discover')).toMatchObject({ error: { code: -32_602 } });
  });

  it('hears just what it listens for, tagged with its subscription, until it cancels', async () => {
    const peer = new StdioPeer();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['fixture://text'] };
    const params = { notifications, _meta: statelessMeta };
    peer.write({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params });
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'sub' };
    expect(await peer.take()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta, notifications },
    });
    peer.server.change({ kind: 'prompts' });
    peer.server.change({ kind: 'resource', uri: 'fixture://other' });
    peer.server.change({ kind: 'tools' });
    expect(await peer.take()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta },
    });
    peer.server.change({ kind: 'resource', uri: 'fixture://text' });
    expect(await peer.take()).toMatchObject({ params: { _meta, uri: 'fixture://text' } });
    peer.notify('notifications/cancelled', { requestId: 'sub' });
    await peer.askStateless('tools/list');
    peer.server.change({ kind: 'tools' });
    await peer.askStateless('tools/list');
    expect(peer.received).toEqual([]);
    expect(peer.server.listenerCount).toBe(0);
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['a flag that is none', { toolsListChanged: 'yes' }],
    ['resources that are no list', { resourceSubscriptions: 'a' }],
    ['too many resources', { resourceSubscriptions: Array.from({ length: 1_001 }, String) }],
  ])('is refused a subscription to %s', async (_name, notifications) => {
    const peer = new StdioPeer();
    expect(await peer.askStateless('subscriptions/listen', { notifications })).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it('gets the result of its subscription when the server ends it', async () => {
    const peer = new StdioPeer();
    const params = { notifications: { promptsListChanged: true }, _meta: statelessMeta };
    peer.write({ jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params });
    await peer.take();
    await peer.gateway.close();
    expect(await peer.take()).toMatchObject({ id: 9, result: { resultType: 'complete' } });
  });

  it('cannot open subscriptions without end', async () => {
    const peer = new StdioPeer();
    const params = { notifications: { toolsListChanged: true }, _meta: statelessMeta };
    for (let id = 0; id < 101; id += 1) {
      peer.write({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
    }
    expect(await peer.take((message) => message['id'] === 100)).toMatchObject({
      error: { data: { code: 'gateway.too_many_subscriptions' } },
    });
  });
});

describe('the stream', () => {
  it('lives on after lines that are no messages', async () => {
    const peer = new StdioPeer({ maxMessageBytes: 1_000 });
    peer.write('');
    peer.write(' \t\r');
    peer.write('{oops');
    peer.write('x'.repeat(2_000));
    peer.input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    peer.write('['.repeat(900));
    peer.write({ jsonrpc: '2.0', id: 5, result: {} });
    expect(await peer.ask('ping')).toMatchObject({ result: {} });
    expect(peer.received.map((message) => (message['error'] as { code: number }).code)).toEqual([
      -32_700, -32_600, -32_700, -32_600,
    ]);
  });

  it('may cut messages anywhere', async () => {
    const peer = new StdioPeer();
    const text = `${JSON.stringify({ jsonrpc: '2.0', id: 'ä', method: 'ping' })}\r\n`;
    for (const byte of Buffer.from(text)) peer.input.write(Buffer.from([byte]));
    expect(await peer.take()).toMatchObject({ id: 'ä', result: {} });
  });

  it('may carry text instead of bytes', async () => {
    const peer = new StdioPeer();
    peer.input.setEncoding('utf8');
    expect(await peer.ask('ping')).toMatchObject({ result: {} });
  });

  it('ends with its input, after what runs is answered; the last line needs no end', async () => {
    const peer = new StdioPeer();
    const params = { name: 'steps', arguments: { count: 3 } };
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    peer.input.end('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    await peer.gateway.closed;
    expect((await peer.take((message) => message['id'] === 1))['result']).toBeDefined();
    expect((await peer.take((message) => message['id'] === 2))['result']).toBeDefined();
  });

  it('ends with its input, after a batch that runs is answered', async () => {
    const peer = new StdioPeer();
    await peer.initialize('2025-03-26');
    const params = { name: 'steps', arguments: { count: 3 } };
    peer.write([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
    ]);
    peer.input.end();
    await peer.gateway.closed;
    expect(peer.received).toMatchObject([[{ id: 1 }, { id: 2, result: { content: [{}] } }]]);
  });

  it('stops what does not end within the limit after its input ended', async () => {
    const peer = new StdioPeer({ drainLimitMs: 10 });
    const params = { name: 'wait', arguments: {} };
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    peer.input.end();
    await peer.gateway.closed;
    expect(peer.server.calls[0]?.signal.aborted).toBe(true);
  });

  it('ends when its output breaks', async () => {
    const output = new PassThrough();
    const peer = new StdioPeer({ output });
    output.destroy(new Error('EPIPE'));
    await peer.gateway.closed;
    await peer.gateway.close();
    expect(peer.server.listenerCount).toBe(0);
  });

  it('closes when what was written has left', async () => {
    const pending: (() => void)[] = [];
    const output = new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) });
    const peer = new StdioPeer({ output });
    peer.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await vi.waitFor(() => expect(pending).toHaveLength(1));
    let isClosed = false;
    const closing = peer.gateway.close().then(() => (isClosed = true));
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    while (pending.length > 0) pending.shift()?.();
    await vi.waitFor(() => {
      pending.shift()?.();
      expect(isClosed).toBe(true);
    });
    await closing;
  });

  it('stops reading while the client does not read responses', async () => {
    const pending: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void pending.push(done),
    });
    const peer = new StdioPeer({ output });
    peer.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await once(peer.input, 'pause');
    expect(peer.input.isPaused()).toBe(true);
    pending.shift()?.();
    await once(peer.input, 'resume');
    expect(peer.input.isPaused()).toBe(false);
  });

  it('ends when the client does not read responses for too long', async () => {
    const output = new Writable({ highWaterMark: 1, write: () => {} });
    const peer = new StdioPeer({ output, unreadLimitMs: 10 });
    peer.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    peer.input.end();
    await peer.gateway.closed;
    expect(peer.input.isPaused()).toBe(true);
  });
});
