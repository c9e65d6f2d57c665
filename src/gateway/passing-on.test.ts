import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../kernel/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { withWireText } from '../contract/wire/index.ts';
import { metaKey } from '../protocol/index.ts';
import { FixtureError, FixtureServer } from '../../testkit/gateway/fixture-server.ts';
import { aPeer } from '../../testkit/gateway/http-peer.ts';
import { statelessMeta, StdioPeer, type Json } from '../../testkit/gateway/stdio-peer.ts';

/** One raw line through a pipe of its own, and the raw answer. */
async function rawAnswer(line: string): Promise<string> {
  const peer = new StdioPeer();
  let text = '';
  peer.output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  peer.write(line);
  await vi.waitFor(() => expect(text).toContain('\n'));
  return text;
}

const args = '{"big":9007199254740993,"one":1.0,"esc":"\\u0041","e":1E2}';

describe('what servers and clients send', () => {
  it('reaches the tool and comes back byte for byte', async () => {
    const answer = await rawAnswer(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exact","arguments":${args}}}`,
    );
    expect(answer).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"args":${args},"big":12345678901234567890}}}\n`,
    );
  });

  it('is byte for byte the same in the stateless era, with what the era adds', async () => {
    const params = `{"_meta":${JSON.stringify(statelessMeta)},"arguments":${args},"name":"exact"}`;
    const answer = await rawAnswer(
      `{"jsonrpc":"2.0","id":"a\\"b","method":"tools/call","params":${params}}`,
    );
    expect(answer).toContain(`"structuredContent":{"args":${args},"big":12345678901234567890}`);
    expect(JSON.parse(answer)).toMatchObject({
      id: 'a"b',
      result: {
        resultType: 'complete',
        _meta: { [metaKey.serverInfo]: { name: 'fixture' } },
      },
    });
  });

  it('keeps its own _meta beside ours, on one line', async () => {
    const params = JSON.stringify({ name: 'marked', _meta: statelessMeta });
    const answer = await rawAnswer(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    );
    expect(answer.trim()).not.toContain('\n');
    expect(answer).toContain('"a":1.0');
    expect(JSON.parse(answer)).toMatchObject({
      result: { _meta: { a: 1, [metaKey.serverInfo]: {} }, content: [{ text: 'x' }] },
    });
  });

  it('may span lines over HTTP and still goes on as one', async () => {
    const peer = await aPeer();
    const session = await peer.session();
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exact",\n"arguments":{\r\n"one":1.0}}}`;
    const answer = await peer.post(body, session);
    expect(answer.text).toContain('"args":{  "one":1.0}');
  });
});

describe('log messages of a server', () => {
  const told = (level: string): Json => ({
    name: 'tell',
    arguments: { level, data: { n: 1 } },
  });

  it('go to clients of the handshake era, as severe as they want', async () => {
    const peer = new StdioPeer();
    await peer.initialize();
    await peer.ask('tools/call', told('debug'));
    peer.server.change({ kind: 'log', params: { level: 'info', data: 'all' } });
    await peer.ask('logging/setLevel', { level: 'error' });
    await peer.ask('tools/call', told('warning'));
    await peer.ask('tools/call', told('critical'));
    peer.server.change({ kind: 'log', params: { level: 'info', data: 'too quiet' } });
    peer.server.change({ kind: 'log', params: { level: 'alert', data: 'loud' } });
    await peer.ask('ping');
    const levels = peer.received.map((message) => (message['params'] as Json)['level']);
    expect(levels).toEqual(['debug', 'info', 'critical', 'alert']);
  });

  it('go to clients of the stateless era only for requests that ask for them', async () => {
    const peer = new StdioPeer();
    const _meta = { ...statelessMeta, [metaKey.logLevel]: 'warning' };
    await peer.askStateless('tools/call', told('emergency'));
    await peer.ask('tools/call', { ...told('info'), _meta });
    expect(peer.received).toEqual([]);
    await peer.ask('tools/call', { ...told('error'), _meta });
    expect(peer.received).toMatchObject([
      { method: 'notifications/message', params: { level: 'error' } },
    ]);
  });

  it('are asked of the server down to the least severe that anybody wants', async () => {
    const peer = await aPeer();
    const [loud, quiet] = [await peer.session(), await peer.session()];
    const set = (session: Record<string, string>, level: string) =>
      peer.post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level } }, session);
    await set(quiet, 'error');
    await set(loud, 'info');
    await set(quiet, 'critical');
    await peer.send({ method: 'DELETE', headers: loud });
    expect(peer.server.levels).toEqual(['error', 'info', 'critical']);
  });
});

describe('a resource', () => {
  it('is watched at the server as long as a session is subscribed to it', async () => {
    const peer = new StdioPeer();
    await peer.ask('resources/subscribe', { uri: 'fixture://a' });
    await peer.ask('resources/subscribe', { uri: 'fixture://a' });
    await peer.ask('resources/subscribe', { uri: 'fixture://b' });
    expect(await peer.ask('resources/subscribe', { uri: 'fixture://unwatchable' })).toMatchObject({
      result: {},
    });
    expect([...peer.server.watched]).toEqual(['fixture://a', 'fixture://b']);
    await peer.ask('resources/unsubscribe', { uri: 'fixture://a' });
    expect([...peer.server.watched]).toEqual(['fixture://b']);
    await peer.gateway.close();
    expect(peer.server.watched.size).toBe(0);
  });

  it('is watched as long as a subscription listens for it', async () => {
    const peer = new StdioPeer();
    const notifications = { resourceSubscriptions: ['fixture://a'] };
    const params = { notifications, _meta: statelessMeta };
    peer.write({ jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params });
    await peer.take();
    expect([...peer.server.watched]).toEqual(['fixture://a']);
    peer.notify('notifications/cancelled', { requestId: 's' });
    await peer.ask('ping');
    expect(peer.server.watched.size).toBe(0);
  });
});

const tasksExtension = 'io.modelcontextprotocol/tasks';

function withTasks(): McpServer {
  return Object.assign(new FixtureServer(), {
    extensions: () => ({ tasks: { list: {} }, extensions: { [tasksExtension]: {} } }),
    request: async (method: string, params: Json) =>
      withWireText({}, `{"method":"${method}","n":1.0,"of":${JSON.stringify(params['taskId'])}}`),
  });
}

describe('requests about tasks', () => {
  it('are not known where no server has tasks', async () => {
    const peer = new StdioPeer();
    for (const answer of [
      await peer.ask('tasks/get', { taskId: 't' }),
      await peer.askStateless('tasks/get', { taskId: 't' }),
    ]) {
      expect(answer).toMatchObject({ error: { code: -32_601 } });
    }
  });

  it('are passed on in both eras, and announced in the words of each', async () => {
    const peer = new StdioPeer({ server: withTasks() });
    expect(await peer.initialize()).toMatchObject({
      result: { capabilities: { tasks: { list: {} } } },
    });
    expect(await peer.askStateless('server/discover')).toMatchObject({
      result: { capabilities: { extensions: { [tasksExtension]: {} } } },
    });
    const ask = [peer.ask.bind(peer), peer.askStateless.bind(peer)];
    for (const method of [
      'tasks/get',
      'tasks/cancel',
      'tasks/list',
      'tasks/result',
      'tasks/update',
    ]) {
      for (const era of ask) {
        expect(await era(method, { taskId: 't' })).toMatchObject({
          result: { method, n: 1, of: 't' },
        });
      }
    }
  });
});

describe('an error of a server behind the one that is served', () => {
  const rpc = { code: -32_050, message: 'Their words' };

  it.each([
    ['that has data', { data: { a: 1 } }, { data: { a: 1, 'tutti/server': 'far' } }],
    ['without data', {}, { data: { 'tutti/server': 'far' } }],
    ['whose data has no members', { data: [1] }, { data: [1] }],
  ])('%s is passed on with the name of that server', async (_name, given, expected) => {
    const peer = new StdioPeer();
    const details = { server: 'far', rpc: { ...rpc, ...given } };
    peer.server.promptFailure = new FixtureError('fleet.upstream_error', 'Ours', details);
    const { error } = await peer.ask('prompts/get', { name: 'greet' });
    expect(error).toEqual({ ...rpc, ...expected });
  });
});

describe('/ready', () => {
  const failures = [{ server: 'broken', message: 'It does not start: sk-123' }];
  const server = Object.assign(new FixtureServer(), { failures: () => failures });
  const counts = { status: 'degraded', version: '4.5.6', tools: 16, failedServers: 1 };

  it('names the servers that could not be listed to authenticated callers, and stays ready', async () => {
    const peer = await aPeer({ server, token: new Secret('t') });
    const headers = { authorization: 'Bearer t' };
    const answer = await peer.send({ method: 'GET', path: '/ready', headers });
    expect(answer).toMatchObject({ status: 200, json: { ...counts, failures } });
  });

  it.each([
    ['without the token', { token: new Secret('t') }, {}],
    ['with another token', { token: new Secret('t') }, { authorization: 'Bearer u' }],
    ['where there is no token', {}, { authorization: 'Bearer ' }],
  ])('tells others counts only: %s', async (_, options, headers) => {
    const peer = await aPeer({ server, ...options });
    const answer = await peer.send({ method: 'GET', path: '/ready', headers });
    expect(answer).toMatchObject({ status: 200, json: counts });
    expect(answer.text).not.toMatch(/broken|start|sk-/);
  });
});
