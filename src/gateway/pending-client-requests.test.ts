import { describe, expect, it } from 'vitest';
import { PendingClientRequests } from './pending-client-requests.ts';
import { aPeer } from '../../testkit/gateway/http-peer.ts';
import { StdioPeer, type Json } from '../../testkit/gateway/stdio-peer.ts';

const question = { method: 'elicitation/create', params: { message: 'Who?' } };
const call = { name: 'ask', arguments: { requests: [question] } };
const isQuestion = (message: Json): boolean => message['method'] === 'elicitation/create';

async function aPeerWhoAnswers(): Promise<StdioPeer> {
  const peer = new StdioPeer();
  await peer.initialize('2025-11-25', { elicitation: {} });
  return peer;
}

describe('a client of the handshake era', () => {
  it('is asked on its pipe, and its answer reaches the tool as it was written', async () => {
    const peer = await aPeerWhoAnswers();
    const asked = peer.ask('tools/call', call);
    const { id, params } = await peer.take(isQuestion);
    expect(params).toEqual(question.params);
    peer.write(`{"jsonrpc":"2.0","id":${String(id)},"result":{"action":"accept","n":1.0}}`);
    expect(await asked).toMatchObject({
      result: { structuredContent: { outcomes: [{ action: 'accept', n: 1 }] } },
    });
  });

  it.each([
    ['an error', { error: { code: -1, message: 'no', data: { x: 1 } } }, 'error -1: no'],
    ['a result that is not an object', { result: 7 }, 'not an object'],
  ])('that answers with %s has refused', async (_name, answer, because) => {
    const peer = await aPeerWhoAnswers();
    const asked = peer.ask('tools/call', call);
    const { id } = await peer.take(isQuestion);
    peer.write({ jsonrpc: '2.0', id: 'unknown', result: {} });
    peer.write({ jsonrpc: '2.0', id, ...answer });
    expect(await asked).toMatchObject({
      result: {
        structuredContent: {
          outcomes: [
            {
              refused: {
                code: 'gateway.client_refused',
                message: expect.stringContaining(because),
                details: {
                  reason: 'error',
                  ...('error' in answer ? { rpc: answer.error } : {}),
                },
              },
            },
          ],
        },
      },
    });
  });

  it.each([
    ['elicitation/create', { mode: 'url' }, { elicitation: {} }, { elicitation: { url: {} } }],
    ['elicitation/create', {}, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['sampling/createMessage', { tools: [] }, { sampling: {} }, { sampling: { tools: {} } }],
    ['roots/list', {}, { sampling: {} }, { roots: {} }],
    ['made/up', {}, { roots: {} }, { 'made/up': {} }],
  ])(
    'is not asked for %s with %j when it declares %j',
    async (method, params, declared, needed) => {
      const peer = new StdioPeer();
      await peer.initialize('2025-11-25', declared);
      const requests = [{ method, params }];
      const answer = await peer.ask('tools/call', { name: 'ask', arguments: { requests } });
      expect(answer).toMatchObject({
        result: {
          structuredContent: {
            outcomes: [{ refused: { details: { requiredCapabilities: needed } } }],
          },
        },
      });
      expect(peer.received).toEqual([]);
    },
  );

  it('hears that a question is withdrawn when it cancels the call', async () => {
    const peer = await aPeerWhoAnswers();
    peer.write({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: call });
    const { id } = await peer.take(isQuestion);
    peer.notify('notifications/cancelled', { requestId: 'c' });
    expect(await peer.take()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    await peer.ask('ping');
    expect(peer.received).toEqual([]);
  });

  it('that leaves is waited for no longer', async () => {
    const peer = await aPeerWhoAnswers();
    peer.write({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: call });
    await peer.take(isQuestion);
    await peer.gateway.close();
    expect(peer.server.calls[0]?.signal.aborted).toBe(true);
  });

  it('has no more than 64 questions to answer', async () => {
    const peer = await aPeerWhoAnswers();
    const requests = Array.from({ length: 65 }, () => question);
    const params = { name: 'ask', arguments: { requests, together: true } };
    const asked = peer.ask('tools/call', params);
    for (let answered = 0; answered < 64; answered += 1) {
      const { id } = await peer.take(isQuestion);
      peer.write({ jsonrpc: '2.0', id, result: {} });
    }
    expect(JSON.stringify(await asked)).toContain('"reason":"too_many"');
  });

  it('has a limited time to answer', async () => {
    const sent: string[] = [];
    const clientRequests = new PendingClientRequests({ limitMs: 1 });
    const send = (text: string): boolean => sent.push(text) > 0;
    const { signal } = new AbortController();
    await expect(clientRequests.ask({ request: question, signal, send })).rejects.toMatchObject({
      code: 'gateway.client_refused',
      details: { reason: 'no_answer' },
    });
    expect(sent.map((text) => (JSON.parse(text) as Json)['method'])).toEqual([
      question.method,
      'notifications/cancelled',
    ]);
  });
});

describe('a client of the handshake era over HTTP', () => {
  it('is asked on the stream of its request and answers with another', async () => {
    const peer = await aPeer();
    const session = await peer.session('2025-11-25', { elicitation: {} });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const headers = { ...session, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const events = await peer.stream('/mcp', init);
    const { id, method } = await events.nextJson();
    expect(method).toBe(question.method);
    const answer = { jsonrpc: '2.0', id, result: { action: 'decline' } };
    expect(await peer.post(answer, session)).toMatchObject({ status: 202 });
    expect(await events.nextJson()).toMatchObject({
      id: 1,
      result: { structuredContent: { outcomes: [{ action: 'decline' }] } },
    });
  });

  it('is not asked when it takes no streams', async () => {
    const peer = await aPeer();
    const session = await peer.session('2025-11-25', { elicitation: {} });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const answer = await peer.post(body, { ...session, accept: 'application/json' });
    expect(answer.text).toContain('"reason":"unreachable"');
  });
});
