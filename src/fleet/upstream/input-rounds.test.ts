import { describe, expect, it } from 'vitest';
import { aClient, aContext, connectTo } from '../../../testkit/fleet/upstream/a-context.ts';
import { answerTo, form, RefusedError } from '../../../testkit/fleet/upstream/client-questions.ts';
import { aStatelessServer } from '../../../testkit/fleet/upstream/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

describe('questions of a server of the stateless era', () => {
  const required = {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params: form } },
    requestState: 'opaque',
  };

  it('are passed on with the name of the server to a client of that era', async () => {
    const server = aStatelessServer().on('tools/call', () => required);
    const upstream = await connectTo(server);
    const client = aClient('a', { era: 'stateless' });
    const result = await upstream.callTool('t', {}, aContext({ client }));
    const message = 'Server "scripted" asks: Your name?';
    const params = { ...form, message, _meta: { 'tutti/server': 'scripted' } };
    const inputRequests = { name: { method: 'elicitation/create', params } };
    expect(result).toEqual({ ...required, inputRequests });
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
      message: 'Server "scripted" asks: Sign in',
      elicitationId: expect.any(String) as string,
      _meta: { 'tutti/server': 'scripted' },
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

  it('end the call when there is no client to ask, it lacks the capability, or they never end', async () => {
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
    await failsWith(undefined, 'there is no client to ask');
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
