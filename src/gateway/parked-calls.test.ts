import { describe, expect, it, vi } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { metaKey } from '../protocol/index.ts';
import { ParkedCalls } from './parked-calls.ts';
import { RunningRequest } from './requests-in-flight.ts';
import { StatelessClient } from './stateless-client.ts';
import { aPeer } from '../../testkit/gateway/http-peer.ts';
import { statelessMeta, StdioPeer, type Json } from '../../testkit/gateway/stdio-peer.ts';

const question = { method: 'elicitation/create', params: { message: 'Who?' } };
const roots = { method: 'roots/list', params: {} };
const _meta = {
  ...statelessMeta,
  [metaKey.clientCapabilities]: { elicitation: {}, roots: {} },
};

function asking(requests: readonly object[], together = false): Json {
  return { name: 'ask', arguments: { requests, together }, _meta };
}

interface Questions {
  readonly inputRequests: Readonly<Record<string, Json>>;
  readonly requestState: string;
}

/** Calls and expects to be asked. */
async function askedBy(peer: StdioPeer, params: Json): Promise<Questions> {
  const { result } = await peer.ask('tools/call', params);
  expect(result).toMatchObject({ resultType: 'input_required' });
  return result as Questions;
}

describe('a client of the stateless era', () => {
  it('is asked by the answer to its request, and goes on by sending it again', async () => {
    const peer = new StdioPeer();
    const params = asking([question]);
    const { inputRequests, requestState } = await askedBy(peer, params);
    expect(Object.values(inputRequests)).toEqual([question]);
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept' }, other: {} };
    const answer = await peer.ask('tools/call', { ...params, inputResponses, requestState });
    expect(answer).toMatchObject({
      result: {
        resultType: 'complete',
        structuredContent: { outcomes: [{ action: 'accept' }] },
      },
    });
    expect(peer.server.calls).toHaveLength(1);
  });

  it('gets questions asked together in one answer, and those it left out once more', async () => {
    const peer = new StdioPeer();
    const params = asking([question, roots], true);
    const first = await askedBy(peer, params);
    const [name = '', list = ''] = Object.keys(first.inputRequests);
    const second = await askedBy(peer, {
      ...params,
      requestState: first.requestState,
      inputResponses: { [list]: { roots: [] } },
    });
    expect(Object.keys(second.inputRequests)).toEqual([name]);
    expect(second.requestState).not.toBe(first.requestState);
    const inputResponses = { [name]: { action: 'cancel' } };
    const { requestState } = second;
    expect(await peer.ask('tools/call', { ...params, inputResponses, requestState })).toMatchObject(
      {
        result: { structuredContent: { outcomes: [{ action: 'cancel' }, { roots: [] }] } },
      },
    );
  });

  it('is refused a state that was altered, used before or is of another request', async () => {
    const peer = new StdioPeer();
    const params = asking([question]);
    const { inputRequests, requestState } = await askedBy(peer, params);
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, {}]));
    const wrong = [
      { ...params, requestState: `${requestState}x` },
      { ...params, name: 'echo', requestState },
      { ...params, arguments: { ...Object(params['arguments']), more: 1 }, requestState },
      { ...params, arguments: {}, requestState },
      { ...params, arguments: { questions: [question, question] }, requestState },
      { ...params, arguments: undefined, requestState },
    ];
    for (const attempt of wrong) {
      expect(await peer.ask('tools/call', attempt)).toMatchObject({ error: { code: -32_602 } });
    }
    const right = { ...params, inputResponses, requestState };
    expect(await peer.ask('tools/call', right)).toMatchObject({ result: {} });
    expect(await peer.ask('tools/call', right)).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('used before') },
    });
  });

  it('hears of progress under the token it came back with, and its cancellation stops the call', async () => {
    const peer = new StdioPeer();
    const params = { ...asking([question]), name: 'ask_and_wait' };
    const { inputRequests, requestState } = await askedBy(peer, params);
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, {}]));
    const again = {
      ...params,
      _meta: { ..._meta, progressToken: 'second' },
      inputResponses,
      requestState,
    };
    peer.write({ jsonrpc: '2.0', id: 'again', method: 'tools/call', params: again });
    expect(await peer.take()).toMatchObject({ params: { progressToken: 'second', progress: 1 } });
    expect(peer.server.calls[0]?.signal.aborted).toBe(false);
    peer.notify('notifications/cancelled', { requestId: 'again' });
    await peer.ask('ping');
    expect(peer.server.calls[0]?.signal.aborted).toBe(true);
    expect(peer.received).toEqual([]);
  });

  it('that leaves ends the calls that wait for it', async () => {
    const peer = new StdioPeer();
    await askedBy(peer, asking([question]));
    expect(peer.server.calls[0]?.signal.aborted).toBe(false);
    await peer.gateway.close();
    expect(peer.server.calls[0]?.signal.aborted).toBe(true);
  });

  it('passes states and answers that are not for us on to the server', async () => {
    const peer = new StdioPeer();
    const extra = { requestState: 'theirs', inputResponses: { a: { b: 1 } }, task: { ttl: 5 } };
    const { result } = await peer.ask('tools/call', { name: 'defer', _meta, ...extra });
    expect(result).toMatchObject({ resultType: 'input_required', requestState: 's', extra });
    expect(result).not.toHaveProperty('content');
  });

  it.each([
    ['inputResponses', null],
    ['inputResponses', { a: 1 }],
    ['requestState', 1],
  ])('is refused %s that are %j', async (member, value) => {
    const peer = new StdioPeer();
    const params = { name: 'echo', arguments: {}, _meta, [member]: value };
    expect(await peer.ask('tools/call', params)).toMatchObject({ error: { code: -32_602 } });
  });

  it('learns which capability it should have declared, with status 400', async () => {
    const peer = await aPeer();
    const params = { name: 'ask_or_fail', arguments: { requests: [question] } };
    expect(await peer.stateless('tools/call', params)).toMatchObject({
      status: 400,
      json: {
        error: { code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
      },
    });
  });
});

it('is asked nothing by requests that cannot be answered with a question', async () => {
  const request = { kind: 'request', id: 1, method: 'completion/complete', params: {} } as const;
  const active = { caller: localCaller, request, meta: _meta, send: () => true };
  const client = new StatelessClient(active, new RunningRequest(), new ParkedCalls());
  await expect(client.ask(question, new AbortController().signal)).rejects.toMatchObject({
    details: { reason: 'unreachable' },
  });
});

describe('a call that waits', () => {
  const request = { kind: 'request', id: 1, method: 'tools/call', params: { name: 'x' } } as const;

  function aClient(parked: ParkedCalls): { client: StatelessClient; running: RunningRequest } {
    const running = new RunningRequest();
    const active = { caller: localCaller, request, meta: _meta, send: () => true };
    return { client: new StatelessClient(active, running, parked), running };
  }

  it('is ended when its client does not come back in time', async () => {
    const parked = new ParkedCalls({ maxParked: 1, parkedLimitMs: 1 });
    const { client, running } = aClient(parked);
    const { signal } = new AbortController();
    const asked: Promise<unknown>[] = [];
    const answer = await client.answer(async () => {
      asked.push(client.ask(question, signal));
      return Promise.all(asked);
    });
    expect(answer).toMatchObject({ resultType: 'input_required' });
    await expect(asked[0]).rejects.toMatchObject({ code: 'gateway.input_expired' });
    expect(running.isAborted).toBe(true);
    expect(parked.size).toBe(0);
  });

  it('is one of so many, and the next is refused', async () => {
    const parked = new ParkedCalls({ maxParked: 1, parkedLimitMs: 60_000 });
    const ask = async (client: StatelessClient): Promise<object> =>
      client.answer(() => client.ask(question, new AbortController().signal));
    const first = aClient(parked);
    await ask(first.client);
    const second = aClient(parked);
    await expect(ask(second.client)).rejects.toMatchObject({
      code: 'gateway.too_many_waiting_calls',
    });
    expect(second.running.isAborted).toBe(true);
    parked.close(new Error('over'));
    await vi.waitFor(() => expect(first.running.isAborted).toBe(true));
  });
});
