import { describe, expect, it } from 'vitest';
import { wireTextOf } from '../../contract/wire/index.ts';
import { UnreachableError } from '../errors.ts';
import { ServerUnavailableError } from './errors.ts';
import { aClient, aContext, connectTo } from '../../../testkit/fleet/upstream/a-context.ts';
import {
  aHandshakeServer,
  aStatelessServer,
} from '../../../testkit/fleet/upstream/scripted-server.ts';

describe('what only one era understands', () => {
  it('gives a stateless server the capabilities of the calling client, in its own words', async () => {
    const server = aStatelessServer().on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    const capabilitiesSent = async (era: 'handshake' | 'stateless'): Promise<unknown> => {
      const capabilities = { elicitation: {}, tasks: { list: {} }, extensions: { x: {} } };
      await upstream.callTool('t', {}, aContext({ client: aClient('c', { era, capabilities }) }));
      const meta = server.ofMethod('tools/call').at(-1)?.params['_meta'] as Record<string, unknown>;
      return meta['io.modelcontextprotocol/clientCapabilities'];
    };
    expect(await capabilitiesSent('handshake')).toEqual({ elicitation: {} });
    expect(await capabilitiesSent('stateless')).toMatchObject({ extensions: { x: {} } });
  });

  it('does not show a handshake server what belongs to the hop before', async () => {
    const server = aHandshakeServer().on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': {},
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    const extra = { inputResponses: {}, requestState: 'x', task: { ttl: 1 } };
    await upstream.callTool('t', {}, aContext({ meta, extra }));
    expect(server.ofMethod('tools/call')[0]?.params).toEqual({ name: 't', arguments: {} });
  });

  it('passes tasks through to a server that has them, with their requests', async () => {
    const task = { taskId: 'a1', status: 'working', ttl: 60_000 };
    const server = aHandshakeServer({ capabilities: { tools: {}, tasks: { cancel: {} } } })
      .on('tools/call', () => ({ task }))
      .on('tasks/get', (params) => ({ ...task, ...params, status: 'completed' }));
    const upstream = await connectTo(server);
    expect(upstream.extensions()).toEqual({ tasks: { cancel: {} } });
    const created = await upstream.callTool(
      't',
      {},
      aContext({ extra: { task: { ttl: 60_000 } } }),
    );
    expect(server.ofMethod('tools/call')[0]?.params['task']).toEqual({ ttl: 60_000 });
    expect(wireTextOf(created)).toBe(JSON.stringify({ task }));
    const got = await upstream.request('tasks/get', { taskId: 'a1' }, aContext());
    expect(got).toMatchObject({ taskId: 'a1', status: 'completed' });
  });

  it('runs a task-only tool for a caller that requests no task', async () => {
    const execution = { taskSupport: 'required' };
    const server = aHandshakeServer({ capabilities: { tools: {}, tasks: { cancel: {} } } })
      .on('tools/list', () => ({ tools: [{ name: 't', inputSchema: {}, execution }] }))
      .on('tools/call', () => ({ task: { taskId: 'c3', status: 'working' } }))
      .on('tasks/result', ({ taskId }) => ({ content: [{ type: 'text', text: taskId }] }))
      .on('tasks/cancel', () => ({}));
    const upstream = await connectTo(server);
    const result = await upstream.callTool('t', {}, aContext());
    expect(result.content).toEqual([{ type: 'text', text: 'c3' }]);
    expect(server.ofMethod('tools/call')[0]?.params['task']).toHaveProperty('ttl');
    server.on('tasks/result', () => undefined);
    const stop = new AbortController();
    const calling = upstream.callTool('t', {}, aContext({ signal: stop.signal }));
    await server.untilSent('tasks/result', 2);
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    expect((await server.untilSent('tasks/cancel')).params).toEqual({ taskId: 'c3' });
  });

  it.each([
    ['could not be asked for', new UnreachableError('scripted', 'http://x', 'refused')],
    ['was asked for while the server was away', new ServerUnavailableError('scripted', 'away')],
  ])('does not know what became of a task whose result %s', async (_how, failure) => {
    const execution = { taskSupport: 'required' };
    const server = aHandshakeServer({
      isHttp: true,
      capabilities: { tools: {}, tasks: { cancel: {} } },
    })
      .on('tools/list', () => ({ tools: [{ name: 't', inputSchema: {}, execution }] }))
      .on('tools/call', () => ({ task: { taskId: 'c3', status: 'working' } }))
      .on('tasks/result', (_params, { id }) => {
        server.failRequest(id ?? 0, failure);
        return undefined;
      });
    const upstream = await connectTo(server);
    await expect(upstream.callTool('t', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.outcome_unknown',
    });
    expect(server.ofMethod('tools/call')).toHaveLength(1);
  });

  it('does not count what a server says of a task after its request is answered', async () => {
    const server = aHandshakeServer({ capabilities: { tools: {}, tasks: {} } })
      .on('tools/list', () => ({ tools: [] }))
      .on('tools/call', () => ({ task: { taskId: 'd4', status: 'working' } }));
    const upstream = await connectTo(server);
    await upstream.callTool('t', {}, aContext({ extra: { task: {} } }));
    const progressToken = server.ofMethod('tools/call')[0]?.id;
    server.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    server.send({ method: 'notifications/tasks/status', params: { taskId: 'd4' } });
    expect(upstream.problems).toEqual([]);
  });

  it('passes tasks of the stateless era through, their id in a header', async () => {
    const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const created = { resultType: 'task', taskId: 'b2', status: 'working' };
    const server = aStatelessServer({ capabilities, isHttp: true })
      .on('tools/call', () => created)
      .on('tasks/update', () => ({ resultType: 'complete' }));
    const upstream = await connectTo(server);
    expect(upstream.extensions()).toEqual({ extensions: capabilities.extensions });
    const result = await upstream.callTool('t', {}, aContext());
    expect(result).toMatchObject(created);
    const context = aContext({ client: aClient('c', { era: 'stateless' }) });
    await upstream.request('tasks/update', { taskId: 'b2', inputResponses: { k: {} } }, context);
    const [update] = server.ofMethod('tasks/update');
    expect(update?.headers?.['Mcp-Name']).toBe('b2');
    expect(update?.params).toMatchObject({ taskId: 'b2', inputResponses: { k: {} } });
  });

  it('tells a server the log level in the way of its era', async () => {
    const older = aHandshakeServer().on('logging/setLevel', () => ({}));
    (await connectTo(older)).setLogLevel('warning');
    expect((await older.untilSent('logging/setLevel')).params).toEqual({ level: 'warning' });
    const newer = aStatelessServer().on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(newer);
    upstream.setLogLevel('error');
    await upstream.callTool('t', {}, aContext());
    const own = { 'io.modelcontextprotocol/logLevel': 'debug' };
    await upstream.callTool('t', {}, aContext({ meta: own }));
    const levels = newer
      .ofMethod('tools/call')
      .map(
        ({ params }) =>
          (params['_meta'] as Record<string, unknown>)['io.modelcontextprotocol/logLevel'],
      );
    expect(levels).toEqual(['error', 'debug']);
  });
});
