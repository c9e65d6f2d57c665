import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../contract/server/index.ts';
import { TimeLimitError } from '../../kernel/index.ts';
import type { Params } from '../../protocol/index.ts';
import { ExchangeBrokenError } from '../errors.ts';
import {
  aClient,
  aContext,
  connectTo,
  type RecordedClient,
} from '../../../testkit/fleet/upstream/a-context.ts';
import { answerTo, form } from '../../../testkit/fleet/upstream/client-questions.ts';
import {
  aHandshakeServer,
  type ScriptedServer,
} from '../../../testkit/fleet/upstream/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

const refused = { error: { code: -32_603 } };

async function ask(server: ScriptedServer, id: string, params: object = form): Promise<Params> {
  server.send({ id, method: 'elicitation/create', params });
  return answerTo(server, id);
}

/** A server with a call that was given up for `reason`, beside one of `b` that runs. */
async function withGivenUpCall(reason: Error, context: Partial<CallContext>) {
  const server = aHandshakeServer().on('tools/call', () => undefined);
  const upstream = await connectTo(server);
  const stop = new AbortController();
  const first = upstream.callTool('t', {}, aContext({ ...context, signal: stop.signal }));
  const { id } = await server.untilSent('tools/call', 1);
  const b = aClient('b');
  upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
  await server.untilSent('tools/call', 2);
  stop.abort(reason);
  await expect(first).rejects.toBe(reason);
  return { server, upstream, b, id };
}

describe('a request that may belong to an orphaned call', () => {
  it.each([
    ['was cancelled', new Error('cancelled'), { client: aClient('a') }],
    ['took too long', new TimeLimitError('Tool "t"', 5), { client: aClient('a') }],
    ['was made for no client', new Error('cancelled'), {}],
    [
      'came from a client with one request',
      new Error('gone'),
      { client: aClient('a', { era: 'stateless' }) },
    ],
  ])('that %s goes to no other client, until the server answers it', async (_, reason, context) => {
    const { server, upstream, b, id } = await withGivenUpCall(reason, context);
    expect(await ask(server, 'q1')).toMatchObject(refused);
    expect(b.asked).toEqual([]);
    expect(upstream.problems).toEqual(['sent a request that may belong to an orphaned call']);
    server.send({ id, error: { code: 0, message: 'Request cancelled' } });
    expect(await ask(server, 'q2')).toMatchObject({ result: { of: 'b' } });
  });

  it('is refused when that call is given up while the question waits', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const [a, b] = [aClient('a'), aClient('b')];
    upstream.callTool('t', {}, aContext({ client: a, signal: stop.signal })).catch(() => {});
    upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
    await server.untilSent('tools/call', 2);
    const asking = ask(server, 'q');
    stop.abort(new Error('left'));
    expect(await asking).toMatchObject(refused);
    expect([...a.asked, ...b.asked]).toEqual([]);
  });

  it('goes to the client itself while it is there, and by whichever of its calls', async () => {
    const sameClient = await withGivenUpCall(new Error('cancelled'), { client: aClient('b') });
    expect(await ask(sameClient.server, 'q')).toMatchObject({ result: { of: 'b' } });
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const request = (id: string): RecordedClient =>
      aClient(id, { era: 'stateless', peer: 'the pipe' });
    const first = aContext({ client: request('1'), signal: stop.signal });
    upstream.callTool('t', {}, first).catch(() => {});
    await server.untilSent('tools/call', 1);
    stop.abort(new Error('cancelled'));
    upstream.callTool('t', {}, aContext({ client: request('2') })).catch(() => {});
    await server.untilSent('tools/call', 2);
    expect(await ask(server, 'q')).toMatchObject({ result: { of: '2' } });
  });

  it('is refused where the transport names the call, and it was abandoned', async () => {
    const server = aHandshakeServer({ isHttp: true }).on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const [a, b] = [aClient('a'), aClient('b')];
    upstream.callTool('t', {}, aContext({ client: a, signal: stop.signal })).catch(() => {});
    const { id } = await server.untilSent('tools/call', 1);
    upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
    await server.untilSent('tools/call', 2);
    stop.abort(new Error('left'));
    server.send({ id: 'q', method: 'elicitation/create', params: form }, id);
    expect(await answerTo(server, 'q')).toMatchObject({ error: { code: -32_601 } });
    expect([...a.asked, ...b.asked]).toEqual([]);
  });

  it('is refused after an exchange broke under a call, which may go on at the server', async () => {
    const server = aHandshakeServer({ isHttp: true }).on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const b = aClient('b');
    const lost = upstream.callTool('t', {}, aContext({ client: aClient('a') }));
    const { id = 0 } = await server.untilSent('tools/call', 1);
    server.failRequest(id, new ExchangeBrokenError('scripted', 'reset'));
    await expect(lost).rejects.toMatchObject({ code: 'fleet.outcome_unknown' });
    upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
    await server.untilSent('tools/call', 2);
    expect(await ask(server, 'q')).toMatchObject(refused);
    expect(b.asked).toEqual([]);
  });

  it('is refused as long as a task of another client runs, unless it names the task', async () => {
    const server = aHandshakeServer({ capabilities: { tools: {}, tasks: {} } })
      .on('tools/call', ({ task }) => (task ? { task: { taskId: 'x' } } : undefined))
      .on('tools/list', () => ({ tools: [] }))
      .on('tasks/result', () => undefined);
    const upstream = await connectTo(server);
    const [a, b] = [aClient('a'), aClient('b')];
    const end = (method: string, count: number): void => {
      const { id } = server.ofMethod(method)[count - 1] ?? {};
      server.send({ id, result: { content: [] } });
    };
    await upstream.callTool('t', {}, aContext({ client: a, extra: { task: {} } }));
    const callOfB = upstream.callTool('t', {}, aContext({ client: b }));
    await server.untilSent('tools/call', 2);
    expect(await ask(server, 'q1')).toMatchObject(refused);
    end('tools/call', 2);
    await callOfB;
    const result = upstream.request('tasks/result', { taskId: 'x' }, aContext({ client: a }));
    await server.untilSent('tasks/result');
    const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'x' } };
    expect(await ask(server, 'q2', { ...form, _meta })).toMatchObject({ result: { of: 'a' } });
    end('tasks/result', 1);
    await result;
    upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
    await server.untilSent('tools/call', 3);
    expect(await ask(server, 'q3')).toMatchObject({ result: { of: 'b' } });
  });

  it('belongs to the call it came in, though that is answered right behind it', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const [a, b] = [aClient('a'), aClient('b')];
    const callOfA = upstream.callTool('t', {}, aContext({ client: a }));
    const { id } = await server.untilSent('tools/call', 1);
    server.send({ id: 'q0', method: 'elicitation/create', params: form });
    expect(await answerTo(server, 'q0')).toMatchObject({ result: { of: 'a' } });
    const callOfB = upstream.callTool('t', {}, aContext({ client: b }));
    server.send({ id: 'q', method: 'elicitation/create', params: form });
    server.send({ id, result: { content: [] } });
    await callOfA;
    await server.untilSent('tools/call', 2);
    expect(b.asked).toEqual([]);
    server.send({ id: server.ofMethod('tools/call')[1]?.id, result: { content: [] } });
    await callOfB;
    expect(a.asked).toHaveLength(2);
  });

  it('is refused for good when there were more such calls than can be remembered', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const stop = new AbortController();
    const given = Array.from({ length: upstreamLimits.maxOrphaned + 1 }, () =>
      upstream.callTool('t', {}, aContext({ client: aClient('a'), signal: stop.signal })),
    );
    stop.abort(new Error('left'));
    await Promise.allSettled(given);
    await server.until(() => server.ofMethod('tools/call').length > upstreamLimits.maxOrphaned);
    for (const { id } of server.ofMethod('tools/call')) server.send({ id, result: {} });
    upstream.callTool('t', {}, aContext({ client: aClient('b') })).catch(() => {});
    await server.untilSent('tools/call', upstreamLimits.maxOrphaned + 2);
    expect(await ask(server, 'q')).toMatchObject(refused);
  });
});
