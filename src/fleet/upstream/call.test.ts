import { describe, expect, it } from 'vitest';
import { wireTextOf, withWireText } from '../../contract/wire/index.ts';
import { SessionExpiredError } from '../errors.ts';
import {
  aContext,
  aProgressContext,
  connectTo,
} from '../../../testkit/fleet/upstream/a-context.ts';
import {
  aHandshakeServer,
  aStatelessServer,
  RpcFault,
  type ScriptedServer,
} from '../../../testkit/fleet/upstream/scripted-server.ts';

const awkward = '{ "a": 1.0, "b":12345678901234567890, "c": "\\u00e9\\/", "a":2 }';

function marked(text: string): object {
  return withWireText(JSON.parse(text) as object, text);
}

const eras = [
  ['handshake', aHandshakeServer],
  ['stateless', aStatelessServer],
] as const;

describe.each(eras)('a call to a server of the %s era', (era, aServer) => {
  it('carries arguments and result byte for byte', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const calling = upstream.callTool('echo "x"', marked(awkward), aContext());
    const call = await server.untilSent('tools/call');
    expect(call.text).toContain(`"name":"echo \\"x\\"","arguments":${awkward}`);
    server.sendText(
      `{"result":{"content":[],"structuredContent":${awkward}},"jsonrpc":"2.0","id":${call.id}}`,
    );
    const result = await calling;
    expect(wireTextOf(result)).toBe(`{"content":[],"structuredContent":${awkward}}`);
  });

  it('sends arguments and keeps results on one line, however they were laid out', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const calling = upstream.callTool('t', marked('{\n  "x": "a\\nb"\r\n}'), aContext());
    const call = await server.untilSent('tools/call');
    expect(call.params['arguments']).toEqual({ x: 'a\nb' });
    server.sendText(`{\n"jsonrpc":"2.0","id":${call.id},"result":{\n"content":[]\n}}`);
    expect(wireTextOf(await calling)).toBe('{ "content":[] }');
  });

  it('sends what the caller put into _meta, trace context included, but not its progress token', async () => {
    const server = aServer().on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    const meta = { traceparent: '00-abc-def-01', progressToken: 'mine', 'vendor/key': [1] };
    await upstream.callTool('t', {}, aContext({ meta }));
    const [call] = server.ofMethod('tools/call');
    expect(call?.params['_meta']).toMatchObject({
      traceparent: '00-abc-def-01',
      progressToken: call?.id,
      'vendor/key': [1],
    });
  });

  it('delivers all of a hundred progress notifications in order, the last included', async () => {
    const server = aServer();
    server.on('tools/call', (_params, { id }) => {
      for (let at = 1; at <= 100; at += 1) {
        const message = `step ${at}`;
        const params = { progressToken: id, progress: at, total: 100, message };
        server.send({ method: 'notifications/progress', params });
      }
      return { content: [] };
    });
    const upstream = await connectTo(server);
    const { context, updates } = aProgressContext();
    await upstream.callTool('t', {}, context);
    expect(updates).toEqual(
      Array.from({ length: 100 }, (_, at) => ({
        progress: at + 1,
        total: 100,
        message: `step ${at + 1}`,
      })),
    );
  });

  it('asks for no progress when the caller did not', async () => {
    const server = aServer().on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    await upstream.callTool('t', {}, aContext());
    expect(server.ofMethod('tools/call')[0]?.text).not.toContain('progressToken');
  });

  it('counts unexpected progress and progress without a number', async () => {
    const server = aServer();
    server.on('tools/call', (_params, { id }) => {
      server.send({
        method: 'notifications/progress',
        params: { progressToken: 'x', progress: 1 },
      });
      server.send({
        method: 'notifications/progress',
        params: { progressToken: id, progress: '1' },
      });
      return { content: [] };
    });
    const upstream = await connectTo(server);
    const { context, updates } = aProgressContext();
    await upstream.callTool('t', {}, context);
    expect(updates).toEqual([]);
    expect(upstream.problems).toEqual([
      'sent progress of a request that does not run',
      'sent progress without a number',
    ]);
  });

  it('gives the error of the server with its code, message, data and origin', async () => {
    const rpc = { code: -32_042, message: 'no such city', data: { city: 'Atlantis' } };
    const server = aServer().on('tools/call', () => {
      throw new RpcFault(rpc);
    });
    const upstream = await connectTo(server);
    await expect(upstream.callTool('t', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.upstream_error',
      details: { server: 'scripted', rpc },
    });
  });

  it('gives up at once when its signal aborts, tells the server and ignores the late answer', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const calling = upstream.callTool('t', {}, aContext({ signal: stop.signal }));
    const call = await server.untilSent('tools/call');
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    const cancelled = await server.untilSent('notifications/cancelled');
    expect(cancelled.params).toEqual({ requestId: call.id, reason: 'enough' });
    server.send({ id: call.id, result: { content: [] } });
    expect(upstream.problems).toEqual([]);
    expect(upstream.inFlight).toBe(0);
  });

  it('sends nothing when its signal has aborted before', async () => {
    const server = aServer();
    const upstream = await connectTo(server);
    const signal = AbortSignal.abort(new Error('before'));
    await expect(upstream.callTool('t', {}, aContext({ signal }))).rejects.toThrow('before');
    expect(server.methods()).not.toContain('tools/call');
  });

  it('says that the outcome is unknown when the link ends under a call', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const calling = upstream.callTool('t', {}, aContext());
    await server.untilSent('tools/call');
    server.end({ reason: 'it exited with code 1', isWanted: false, exitCode: 1 });
    await expect(calling).rejects.toMatchObject({
      code: 'fleet.outcome_unknown',
      retryable: false,
      message: expect.stringContaining('Tool "t" of server "scripted"') as string,
    });
    expect(await upstream.ended).toMatchObject({ reason: 'it exited with code 1' });
    expect(upstream.isOpen).toBe(false);
  });

  it('says that reading may be tried again when the link ends under it', async () => {
    const server = aServer().on('resources/read', () => undefined);
    const upstream = await connectTo(server);
    const reading = upstream.readResource('file:///x', aContext());
    await server.untilSent('resources/read');
    server.end({ reason: 'it went away', isWanted: false });
    await expect(reading).rejects.toMatchObject({
      code: 'fleet.server_unavailable',
      retryable: true,
    });
  });

  it('says that a call was not sent when the link had ended before', async () => {
    const server = aServer();
    const upstream = await connectTo(server);
    server.end({ reason: 'it went away', isWanted: false });
    await expect(upstream.callTool('t', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.server_unavailable',
      retryable: true,
    });
  });

  it('marks a lost call of a tool that may run twice as one to try again', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const calling = upstream.callTool('look', {}, aContext({ mayRepeat: true }));
    await server.untilSent('tools/call');
    server.end({ reason: 'it went away', isWanted: false });
    await expect(calling).rejects.toMatchObject({ code: 'fleet.outcome_unknown', retryable: true });
  });

  it('contains duplicate, unexpected and ambiguous responses, and results that are not objects', async () => {
    const server = aServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const first = upstream.callTool('t', {}, aContext());
    const call = await server.untilSent('tools/call');
    server.send({ id: call.id, result: { content: [] } });
    server.send({ id: call.id, result: { content: [] } });
    server.send({ id: 999_999, result: {} });
    server.send({ id: 'text', result: {} });
    server.send({ id: null, error: { code: -32_700, message: 'Parse error' } });
    await first;
    const second = upstream.callTool('t', {}, aContext());
    const both = await server.untilSent('tools/call', 2);
    server.send({ id: both.id, result: {}, error: { code: 1, message: 'both' } });
    await expect(second).rejects.toMatchObject({ code: 'fleet.upstream_error' });
    const third = upstream.callTool('t', {}, aContext());
    const wrong = await server.untilSent('tools/call', 3);
    server.send({ id: wrong.id, result: [1] });
    await expect(third).rejects.toMatchObject({ code: 'fleet.bad_answer' });
    expect(upstream.problems).toEqual([
      'answered a request twice',
      'answered a request that was never sent (2 times)',
      'sent an error that answers no request',
      'sent an answer with both a result and an error',
      'sent a result that is not an object',
    ]);
  });

  it('gives a result without content an empty one, and keeps what was sent', async () => {
    const server = aServer().on('tools/call', () => ({ toolResult: 5 }));
    const upstream = await connectTo(server);
    const result = await upstream.callTool('t', {}, aContext());
    expect(result.content).toEqual([]);
    expect(wireTextOf(result)).toBe('{"toolResult":5}');
  });

  it('reads resources, prompts and completions', async () => {
    const server = aServer()
      .on('resources/read', ({ uri }) => ({ contents: [{ uri, text: 'x' }] }))
      .on('prompts/get', (params) => ({ messages: [{ role: 'user', content: params }] }))
      .on('completion/complete', () => ({ completion: { values: ['a'], total: 1 } }));
    const upstream = await connectTo(server);
    expect((await upstream.readResource('file:///x', aContext())).contents).toHaveLength(1);
    const prompt = await upstream.getPrompt('p', { a: 'b' }, aContext());
    expect(prompt.messages[0]?.content).toMatchObject({ name: 'p', arguments: { a: 'b' } });
    const request = {
      reference: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: 'b' },
    } as const;
    expect(await upstream.complete(request, aContext())).toEqual({ values: ['a'], total: 1 });
    server.answers.delete('completion/complete');
    expect(await upstream.complete(request, aContext())).toEqual({ values: [] });
  });

  it('pings', async () => {
    const server = aServer().on('ping', () => ({}));
    const upstream = await connectTo(server);
    await upstream.ping();
    expect(server.methods().at(-1)).toBe(era === 'handshake' ? 'ping' : 'server/discover');
  });
});

describe('a call over HTTP', () => {
  it('is cancelled in the stateless era by ending its exchange', async () => {
    const server = aStatelessServer({ isHttp: true }).on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const calling = upstream.callTool('t', {}, aContext({ signal: stop.signal }));
    const call = await server.untilSent('tools/call');
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    expect(call.abort?.isAborted).toBe(true);
    expect(server.methods()).not.toContain('notifications/cancelled');
  });

  it('repeats version, method, name and marked arguments in headers', async () => {
    const schema = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    };
    const server = aStatelessServer({ isHttp: true })
      .on('tools/list', () => ({ tools: [{ name: 'größe', inputSchema: schema }] }))
      .on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    await upstream.callTool('größe', { region: 'eu' }, aContext());
    expect(server.ofMethod('tools/call')[0]?.headers).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
      'Mcp-Param-Region': 'eu',
    });
  });

  it('tells the link what was agreed on in the handshake, and repeats nothing itself', async () => {
    const server = aHandshakeServer({ isHttp: true }).on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    await upstream.callTool('t', {}, aContext());
    expect(server.httpCalls).toEqual(['version 2025-11-25', 'listen']);
    expect(server.ofMethod('tools/call')[0]?.headers).toEqual({});
  });

  it('opens a new session and repeats a call that may be repeated once when the old one expired', async () => {
    const server = expiring();
    const upstream = await connectTo(server);
    const result = await upstream.callTool('look', {}, aContext({ mayRepeat: true }));
    expect(result.content).toEqual([]);
    expect(server.ofMethod('initialize')).toHaveLength(2);
    expect(server.ofMethod('tools/call')).toHaveLength(2);
  });

  it('does not repeat a call that may change something, but serves the next one', async () => {
    const server = expiring();
    const upstream = await connectTo(server);
    await expect(upstream.callTool('write', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.outcome_unknown',
    });
    await server.untilSent('initialize', 2);
    await server.untilSent('notifications/initialized', 2);
    await upstream.callTool('write', {}, aContext());
    expect(server.ofMethod('tools/call')).toHaveLength(2);
  });

  it('passes on why an exchange failed when the link knows it', async () => {
    const server = aHandshakeServer({ isHttp: true });
    server.on('tools/call', (_params, { id }) => {
      server.failRequest(id ?? 0, new Error('the connection was reset'));
      return undefined;
    });
    const upstream = await connectTo(server);
    await expect(upstream.callTool('t', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.outcome_unknown',
      message: expect.stringContaining('the connection was reset') as string,
    });
  });

  /** A server whose first session is over by the first call. */
  function expiring(): ScriptedServer {
    const server = aHandshakeServer({ isHttp: true });
    return server.on('tools/call', (_params, { id }) => {
      if (server.ofMethod('initialize').length > 1) return { content: [] };
      server.failRequest(id ?? 0, new SessionExpiredError('scripted', true));
      return undefined;
    });
  }
});
