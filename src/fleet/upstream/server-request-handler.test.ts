import { describe, expect, it, vi } from 'vitest';
import type { Params } from '../../protocol/index.ts';
import { aClient, aContext, connectTo } from '../../../testkit/fleet/upstream/a-context.ts';
import { answerTo, form, RefusedError } from '../../../testkit/fleet/upstream/client-questions.ts';
import { aHandshakeServer } from '../../../testkit/fleet/upstream/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

describe('questions of a server of the handshake era', () => {
  it('reach the client whose call runs, and its answer goes back', async () => {
    const server = aHandshakeServer();
    server.on('tools/call', async () => {
      server.send({ id: 'q1', method: 'elicitation/create', params: form });
      return { content: [{ type: 'text', text: JSON.stringify(await answerTo(server, 'q1')) }] };
    });
    const upstream = await connectTo(server);
    const client = aClient('a');
    const result = await upstream.callTool('t', {}, aContext({ client }));
    const message = 'Server "scripted" asks: Your name?';
    const params = { ...form, message, _meta: { 'tutti/server': 'scripted' } };
    expect(client.asked).toEqual([{ method: 'elicitation/create', params }]);
    expect(JSON.parse(String(result.content[0]?.['text']))).toMatchObject({
      id: 'q1',
      result: { action: 'accept', of: 'a' },
    });
  });

  it('go by the exchange they came on where the transport knows it', async () => {
    const server = aHandshakeServer({ isHttp: true }).on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const clients = [aClient('a'), aClient('b')];
    const calls = clients.map((client) => upstream.callTool(client.id, {}, aContext({ client })));
    const second = await server.untilSent('tools/call', 2);
    server.send({ id: 'q', method: 'sampling/createMessage', params: {} }, second.id);
    expect(await answerTo(server, 'q')).toMatchObject({ result: { of: 'b' } });
    expect(upstream.isExclusive).toBe(false);
    for (const { id } of server.ofMethod('tools/call'))
      server.send({ id, result: { content: [] } });
    await Promise.all(calls);
  });

  it('wait while calls of several clients run, and then reach the one that is left', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const [a, b] = [aClient('a'), aClient('b')];
    const callOfA = upstream.callTool('t', {}, aContext({ client: a }));
    const callOfB = upstream.callTool('t', {}, aContext({ client: b }));
    const first = await server.untilSent('tools/call', 1);
    const second = await server.untilSent('tools/call', 2);
    server.send({ id: 'q', method: 'elicitation/create', params: form });
    await Promise.resolve();
    expect([...a.asked, ...b.asked]).toEqual([]);
    server.send({ id: first.id, result: { content: [] } });
    await callOfA;
    expect(await answerTo(server, 'q')).toMatchObject({ result: { of: 'b' } });
    server.send({ id: second.id, result: { content: [] } });
    await callOfB;
  });

  it('make the server get one client at a time from then on, in order of arrival', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const call = (client: string, tool: string): Promise<unknown> =>
      upstream.callTool(tool, {}, aContext({ client: aClient(client) }));
    const running = [call('a', 'a1')];
    await server.untilSent('tools/call');
    server.send({ id: 'q', method: 'elicitation/create', params: form });
    await answerTo(server, 'q');
    expect(upstream.isExclusive).toBe(true);
    running.push(call('a', 'a2'), call('b', 'b1'), call('b', 'b2'), call('a', 'a3'));
    const sent = (): unknown[] => server.ofMethod('tools/call').map(({ params }) => params['name']);
    const finish = (tool: string): void => {
      const { id } =
        server.ofMethod('tools/call').find(({ params }) => params['name'] === tool) ?? {};
      server.send({ id, result: { content: [] } });
    };
    await server.untilSent('tools/call', 2);
    expect(sent()).toEqual(['a1', 'a2']);
    finish('a1');
    finish('a2');
    await server.untilSent('tools/call', 4);
    expect(sent()).toEqual(['a1', 'a2', 'b1', 'b2']);
    finish('b2');
    finish('b1');
    await server.untilSent('tools/call', 5);
    finish('a3');
    await Promise.all(running);
  });

  it('do not block other clients while the asked one is silent, and reach no other client', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const decision = Promise.withResolvers<Params>();
    const [a, b] = [aClient('a', { answer: () => decision.promise }), aClient('b')];
    const callOfA = upstream.callTool('a', {}, aContext({ client: a }));
    const first = await server.untilSent('tools/call', 1);
    server.send({ id: 'q1', method: 'elicitation/create', params: form });
    await vi.waitFor(() => expect(a.asked).toHaveLength(1));
    const callOfB = upstream.callTool('b', {}, aContext({ client: b }));
    const second = await server.untilSent('tools/call', 2);
    server.send({ id: 'q2', method: 'elicitation/create', params: form });
    server.send({ id: second.id, result: { content: [] } });
    await callOfB;
    await vi.waitFor(() => expect(a.asked).toHaveLength(2));
    expect(b.asked).toEqual([]);
    decision.resolve({ action: 'accept', of: 'a' });
    expect(await answerTo(server, 'q1')).toMatchObject({ result: { of: 'a' } });
    server.send({ id: first.id, result: { content: [] } });
    await callOfA;
  });

  it('let a call that waits for its turn be cancelled', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const first = upstream.callTool('t', {}, aContext({ client: aClient('a') }));
    const { id } = await server.untilSent('tools/call');
    server.send({ id: 'q', method: 'elicitation/create', params: form });
    await answerTo(server, 'q');
    const stop = new AbortController();
    const context = aContext({ client: aClient('b'), signal: stop.signal });
    const waiting = upstream.callTool('t', {}, context);
    stop.abort(new Error('no longer'));
    await expect(waiting).rejects.toThrow('no longer');
    server.send({ id, result: { content: [] } });
    await first;
    expect(server.ofMethod('tools/call')).toHaveLength(1);
  });

  it('are refused after a while when they stay ambiguous', async () => {
    vi.useFakeTimers();
    try {
      const server = aHandshakeServer().on('tools/call', () => undefined);
      const upstream = await connectTo(server);
      for (const id of ['a', 'b']) {
        upstream.callTool('t', {}, aContext({ client: aClient(id) })).catch(() => {});
      }
      await server.untilSent('tools/call', 2);
      server.send({ id: 'q', method: 'elicitation/create', params: form });
      await vi.advanceTimersByTimeAsync(upstreamLimits.holdMs);
      expect(await answerTo(server, 'q')).toMatchObject({ error: { code: -32_603 } });
      expect(upstream.problems).toEqual([
        'sent an ambiguous request while several clients had calls running',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are refused as the specification says when the client lacks the capability or mode', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const client = aClient('a', { capabilities: { elicitation: {}, sampling: {} } });
    const context = aContext({ client });
    upstream.callTool('t', {}, context).catch(() => {});
    await server.untilSent('tools/call');
    const ask = (id: string, method: string, params: object): Promise<Params> => {
      server.send({ id, method, params });
      return answerTo(server, id);
    };
    const url = { mode: 'url', message: 'm', url: 'https://x', elicitationId: '1' };
    expect(await ask('1', 'elicitation/create', url)).toMatchObject({ error: { code: -32_602 } });
    const withTools = { messages: [], maxTokens: 1, tools: [] };
    expect(await ask('2', 'sampling/createMessage', withTools)).toMatchObject({
      error: { code: -32_602 },
    });
    expect(await ask('3', 'roots/list', {})).toMatchObject({ result: { roots: [] } });
    expect(await ask('4', 'elicitation/create', form)).toMatchObject({ result: { of: 'a' } });
    expect(await ask('5', 'tasks/unheard', {})).toMatchObject({ error: { code: -32_601 } });
    expect(await ask('6', 'ping', {})).toMatchObject({ result: {} });
  });

  it('are refused when no client has a call running, but roots are answered', async () => {
    const server = aHandshakeServer();
    await connectTo(server);
    server.send({ id: '1', method: 'elicitation/create', params: form });
    server.send({ id: '2', method: 'roots/list', params: {} });
    expect(await answerTo(server, '1')).toMatchObject({ error: { code: -32_601 } });
    expect(await answerTo(server, '2')).toMatchObject({ result: { roots: [] } });
  });

  it('for roots do not serialize clients, unless they are ambiguous', async () => {
    let now = 0;
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server, { clock: { now: () => now } });
    const roots = (id: string): Promise<Params> => {
      server.send({ id, method: 'roots/list', params: {} });
      return answerTo(server, id);
    };
    const call = (client: string): Promise<unknown> =>
      upstream.callTool('t', {}, aContext({ client: aClient(client) }));
    const [first, second] = [call('a'), call('b')];
    const { id: idOfFirst } = await server.untilSent('tools/call', 1);
    const { id: idOfSecond } = await server.untilSent('tools/call', 2);
    expect(await roots('while settling')).toMatchObject({ result: { roots: [] } });
    expect(upstream.isExclusive).toBe(false);
    now = upstreamLimits.settlingMs;
    const asked = roots('later');
    server.send({ id: idOfFirst, result: { content: [] } });
    await first;
    expect(await asked).toMatchObject({ result: { of: 'b' } });
    expect(upstream.isExclusive).toBe(true);
    server.send({ id: idOfSecond, result: { content: [] } });
    await second;
  });

  it('for roots of the only client are asked of it', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    upstream.callTool('t', {}, aContext({ client: aClient('a') })).catch(() => {});
    await server.untilSent('tools/call');
    server.send({ id: 'q', method: 'roots/list', params: {} });
    expect(await answerTo(server, 'q')).toMatchObject({ result: { of: 'a' } });
    expect(upstream.isExclusive).toBe(false);
  });

  it('get the error a client answered with', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const rpc = { code: -1, message: 'User rejected sampling', data: { x: 1 } };
    const errors = [new RefusedError('no', { details: { rpc } }), new RefusedError('gone')];
    const client = aClient('a', { answer: () => Promise.reject(errors.shift()) });
    upstream.callTool('t', {}, aContext({ client })).catch(() => {});
    await server.untilSent('tools/call');
    server.send({ id: '1', method: 'sampling/createMessage', params: {} });
    expect(await answerTo(server, '1')).toMatchObject({ error: rpc });
    server.send({ id: '2', method: 'sampling/createMessage', params: {} });
    expect(await answerTo(server, '2')).toMatchObject({
      error: { code: -32_603, message: 'gone' },
    });
  });

  it('are taken back when the server cancels them, and when the connection ends', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const aborted: string[] = [];
    const client = aClient('a', {
      answer: ({ method }, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(method);
            reject(signal.reason);
          });
        }),
    });
    upstream.callTool('t', {}, aContext({ client })).catch(() => {});
    await server.untilSent('tools/call');
    server.send({ id: '1', method: 'elicitation/create', params: form });
    server.send({ id: '2', method: 'sampling/createMessage', params: {} });
    await Promise.resolve();
    await Promise.resolve();
    server.send({ method: 'notifications/cancelled', params: { requestId: '1' } });
    expect(aborted).toEqual(['elicitation/create']);
    await upstream.close();
    expect(aborted).toEqual(['elicitation/create', 'sampling/createMessage']);
    expect(server.received.filter(({ method }) => method === undefined)).toEqual([]);
  });

  it('are contained when there are too many at once, or two with the same id', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const client = aClient('a', { answer: () => new Promise(() => {}) });
    upstream.callTool('t', {}, aContext({ client })).catch(() => {});
    await server.untilSent('tools/call');
    for (let at = 0; at <= upstreamLimits.maxAsks; at += 1) {
      server.send({ id: `q${at}`, method: 'elicitation/create', params: form });
    }
    server.send({ id: 'q0', method: 'elicitation/create', params: form });
    expect(await answerTo(server, `q${upstreamLimits.maxAsks}`)).toHaveProperty('error');
    expect(upstream.problems).toEqual([
      'sent too many requests at once',
      'reused the id of a pending request',
    ]);
  });
});
