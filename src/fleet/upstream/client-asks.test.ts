import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../kernel/index.ts';
import type { Params } from '../../protocol/index.ts';
import { aClient, aContext, connectTo } from './testing/a-context.ts';
import {
  aHandshakeServer,
  aStatelessServer,
  type ScriptedServer,
} from './testing/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

class RefusedError extends AppError {
  readonly code = 'gateway.client_refused';
}

const form = { message: 'Your name?', requestedSchema: { type: 'object' } };

/** What was answered to a question of the server. */
async function answerTo(server: ScriptedServer, id: string): Promise<Params> {
  const isAnswer = (it: { readonly message: Params }): boolean =>
    it.message['id'] === id && !('method' in it.message);
  await server.until(() => server.received.some(isAnswer));
  return server.received.find(isAnswer)?.message ?? {};
}

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
    expect(client.asked).toEqual([{ method: 'elicitation/create', params: form }]);
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
    expect(upstream.takesTurns).toBe(false);
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
    expect(upstream.takesTurns).toBe(true);
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

  it('keep no other client waiting while the one asked gives no answer, and reach nobody else', async () => {
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

  it('are refused after a while when it cannot be told whose they are', async () => {
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
      expect(upstream.problems).toEqual(['asked something while several clients called it']);
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

  it('for roots keep no clients apart, unless it cannot be told whose are wanted', async () => {
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
    expect(upstream.takesTurns).toBe(false);
    now = upstreamLimits.settlingMs;
    const asked = roots('later');
    server.send({ id: idOfFirst, result: { content: [] } });
    await first;
    expect(await asked).toMatchObject({ result: { of: 'b' } });
    expect(upstream.takesTurns).toBe(true);
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
    expect(upstream.takesTurns).toBe(false);
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
      'asked too many things at once',
      'used the id of a question twice at once',
    ]);
  });
});

describe('questions of a server of the stateless era', () => {
  const required = {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params: form } },
    requestState: 'opaque',
  };

  it('are passed on as they are to a client of that era', async () => {
    const server = aStatelessServer().on('tools/call', () => required);
    const upstream = await connectTo(server);
    const client = aClient('a', { era: 'stateless' });
    const result = await upstream.callTool('t', {}, aContext({ client }));
    expect(result).toEqual(required);
    expect(result.content).toEqual([]);
    const extra = { inputResponses: { name: { action: 'accept' } }, requestState: 'opaque' };
    await upstream.callTool('t', {}, aContext({ client, extra }));
    expect(server.ofMethod('tools/call')[1]?.params).toMatchObject(extra);
  });

  it('are put to a client of the handshake era, and the call is made again with its answers', async () => {
    const server = aStatelessServer().on('tools/call', ({ inputResponses }) =>
      inputResponses ? { resultType: 'complete', content: [], inputResponses } : required,
    );
    const upstream = await connectTo(server);
    const client = aClient('a');
    const result = await upstream.callTool('t', { x: 1 }, aContext({ client }));
    expect(result).toMatchObject({ inputResponses: { name: { action: 'accept', of: 'a' } } });
    expect(server.ofMethod('tools/call')[1]?.params).toMatchObject({
      name: 't',
      arguments: { x: 1 },
      requestState: 'opaque',
    });
  });

  it('that open a page get the id the older clients insist on', async () => {
    const params = { mode: 'url', message: 'Sign in', url: 'https://example.org' };
    const page = { method: 'elicitation/create', params };
    const server = aStatelessServer().on('tools/call', ({ inputResponses }) =>
      inputResponses ? { content: [] } : { ...required, inputRequests: { page } },
    );
    const upstream = await connectTo(server);
    const client = aClient('a', { capabilities: { elicitation: { url: {} } } });
    await upstream.callTool('t', {}, aContext({ client }));
    expect(client.asked[0]?.params).toEqual({
      ...params,
      elicitationId: expect.any(String) as string,
    });
  });

  it('end the call when the server does not say what it wants to know', async () => {
    const server = aStatelessServer().on('tools/call', () => ({
      ...required,
      inputRequests: { name: 'who are you?' },
    }));
    const upstream = await connectTo(server);
    const calling = upstream.callTool('t', {}, aContext({ client: aClient('a') }));
    await expect(calling).rejects.toMatchObject({ code: 'fleet.input_required' });
  });

  it('that only a model or a person could answer end the call with the refusal', async () => {
    const request = { method: 'sampling/createMessage', params: {} };
    const server = aStatelessServer().on('tools/call', () => ({
      ...required,
      inputRequests: { thought: request },
    }));
    const upstream = await connectTo(server);
    const client = aClient('a', { answer: () => Promise.reject(new RefusedError('no')) });
    await expect(upstream.callTool('t', {}, aContext({ client }))).rejects.toMatchObject({
      code: 'gateway.client_refused',
    });
  });

  it('are answered with cancel when the client gives no answer', async () => {
    const server = aStatelessServer().on('prompts/get', ({ inputResponses }) =>
      inputResponses ? { messages: [], inputResponses } : required,
    );
    const upstream = await connectTo(server);
    const client = aClient('a', { answer: () => Promise.reject(new RefusedError('no')) });
    const result = await upstream.getPrompt('p', {}, aContext({ client }));
    expect(result).toMatchObject({ inputResponses: { name: { action: 'cancel' } } });
  });

  it('end the call when nobody can be asked, or not this, or they never end', async () => {
    const server = aStatelessServer().on('tools/call', () => required);
    const upstream = await connectTo(server);
    const failsWith = async (
      client: ReturnType<typeof aClient> | undefined,
      words: string,
    ): Promise<void> => {
      const calling = upstream.callTool('t', {}, aContext(client ? { client } : {}));
      await expect(calling).rejects.toMatchObject({
        code: 'fleet.input_required',
        message: expect.stringContaining(words) as string,
      });
    };
    await failsWith(undefined, 'nobody can be asked');
    await failsWith(aClient('a', { capabilities: {} }), 'does not support elicitation');
    await failsWith(aClient('a'), `more than ${upstreamLimits.maxInputRounds} times`);
  });

  it('are refused when they come the older way', async () => {
    const server = aStatelessServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const client = aClient('a');
    upstream.callTool('t', {}, aContext({ client })).catch(() => {});
    await server.untilSent('tools/call');
    server.send({ id: 'q', method: 'elicitation/create', params: form });
    expect(await answerTo(server, 'q')).toMatchObject({ error: { code: -32_601 } });
    expect(client.asked).toEqual([]);
  });

  it('may be nothing but a state to come back with', async () => {
    const server = aStatelessServer().on('tools/call', ({ requestState }) =>
      requestState === 'later'
        ? { content: [{ type: 'text', text: 'done' }] }
        : { resultType: 'input_required', requestState: 'later' },
    );
    const upstream = await connectTo(server);
    const result = await upstream.callTool('t', {}, aContext());
    expect(result.content).toHaveLength(1);
  });
});
