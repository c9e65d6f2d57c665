import { describe, expect, it } from 'vitest';
import { pageOf } from './methods.ts';
import { FixtureError } from '../../testkit/gateway/fixture-server.ts';
import { statelessMeta, StdioPeer } from '../../testkit/gateway/stdio-peer.ts';

describe('a call', () => {
  it('reports progress under the token it brought, and none without', async () => {
    const peer = new StdioPeer();
    const _meta = { progressToken: 'p' };
    await peer.ask('tools/call', { name: 'steps', arguments: { count: 2 }, _meta });
    expect(peer.received).toMatchObject([
      { params: { progressToken: 'p', progress: 1, total: 2, message: 'step 1' } },
      { params: { progressToken: 'p', progress: 2, total: 2 } },
    ]);
    const quiet = new StdioPeer();
    await quiet.ask('tools/call', { name: 'steps', arguments: { count: 2 } });
    expect(quiet.received).toEqual([]);
  });

  it('hands _meta on as it came', async () => {
    const peer = new StdioPeer();
    const _meta = { traceparent: '00-aa-bb-01', 'x/y': [1] };
    await peer.ask('tools/call', { name: 'echo', arguments: {}, _meta });
    expect(peer.server.calls[0]?.meta).toEqual(_meta);
  });

  it.each(['handshake', 'stateless'])(
    'is stopped, unanswered, by a cancellation (%s)',
    async (era) => {
      const peer = new StdioPeer();
      const _meta = era === 'stateless' ? { _meta: statelessMeta } : {};
      const params = { name: 'wait', arguments: {}, ..._meta };
      peer.write({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params });
      await peer.ask('ping');
      peer.notify('notifications/cancelled', { requestId: 'unknown' });
      peer.notify('notifications/cancelled', { requestId: { odd: true } });
      peer.notify('notifications/cancelled', { requestId: 'w' });
      await peer.ask('ping');
      expect(peer.server.calls[0]?.signal.aborted).toBe(true);
      expect(peer.received).toEqual([]);
    },
  );

  it('cannot take the id of one that runs', async () => {
    const peer = new StdioPeer();
    const params = { name: 'wait', arguments: {} };
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    peer.write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(await peer.take()).toMatchObject({ id: 1, error: { code: -32_600 } });
  });

  it('is one of at most 256 at once', async () => {
    const peer = new StdioPeer();
    const params = { name: 'wait', arguments: {} };
    for (let id = 0; id <= 256; id += 1) {
      peer.write({ jsonrpc: '2.0', id, method: 'tools/call', params });
    }
    expect(await peer.take()).toMatchObject({
      id: 256,
      error: { data: { code: 'gateway.too_many_requests' } },
    });
  });

  it.each([
    ['a tool nobody has', { name: 'nope' }, -32_602, 'Unknown tool: nope'],
    ['no name', {}, -32_602, '"name" must be a string'],
    ['arguments that are a list', { name: 'echo', arguments: [] }, -32_602, 'params.arguments'],
    ['a tool that refuses', { name: 'refuse' }, -32_603, 'This tool always refuses'],
    ['a tool with a bug', { name: 'bug' }, -32_603, 'Internal error'],
    ['a result that is no JSON', { name: 'unprintable' }, -32_603, 'Internal error'],
  ])('of %s fails with a clear error', async (_name, params, code, message) => {
    const peer = new StdioPeer();
    const { error } = await peer.ask('tools/call', params);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each([
    ['toolbox.invalid_arguments', -32_602],
    ['standards.invalid_prompt_arguments', -32_602],
    ['standards.unknown_language', -32_602],
    ['fleet.not_found', -32_602],
    ['kernel.time_limit', -32_603],
    ['elsewhere.not_found', -32_603],
    ['constructor', -32_603],
  ])('that fails with %s is answered with %i and the message as it is', async (thrown, code) => {
    const peer = new StdioPeer();
    peer.server.promptFailure = new FixtureError(thrown, 'One sentence');
    const { error } = await peer.ask('prompts/get', { name: 'greet' });
    expect(error).toEqual({ code, message: 'One sentence', data: { code: thrown, details: {} } });
  });

  it('carries code and details of an explainable failure', async () => {
    const peer = new StdioPeer();
    expect(await peer.ask('tools/call', { name: 'refuse' })).toMatchObject({
      error: { data: { code: 'fixture.refused', details: { why: 'test' } } },
    });
  });

  it('tells nothing of a bug but logs it, once', async () => {
    const peer = new StdioPeer();
    const answer = await peer.ask('tools/call', { name: 'bug' });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(peer.logged).toMatchObject([
      { message: 'request failed unexpectedly', fields: { method: 'tools/call' } },
    ]);
  });

  it('whose tool failed is a result that says so', async () => {
    const peer = new StdioPeer();
    expect(await peer.ask('tools/call', { name: 'fail' })).toMatchObject({
      result: { isError: true },
    });
  });
});

describe('resources, prompts and completions', () => {
  it('are served', async () => {
    const peer = new StdioPeer();
    expect(await peer.ask('resources/list')).toMatchObject({
      result: { resources: [{ uri: 'fixture://text' }] },
    });
    expect(await peer.ask('resources/templates/list')).toMatchObject({
      result: { resourceTemplates: [{ name: 'any' }] },
    });
    expect(await peer.ask('prompts/list')).toMatchObject({
      result: { prompts: [{ name: 'greet' }] },
    });
    expect(
      await peer.ask('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
    ).toMatchObject({ result: { messages: [{ content: { text: 'Greet Ada' } }] } });
    const argument = { name: 'who', value: 'a' };
    for (const ref of [
      { type: 'ref/prompt', name: 'greet' },
      { type: 'ref/resource', uri: 'fixture://{id}' },
    ]) {
      expect(await peer.ask('completion/complete', { ref, argument })).toMatchObject({
        result: { completion: { values: ['ada', 'alan'] } },
      });
    }
  });

  it('complete what does not exist with nothing', async () => {
    const peer = new StdioPeer();
    const ref = { type: 'ref/prompt', name: 'nobody' };
    const argument = { name: 'who', value: 'a' };
    expect(await peer.ask('completion/complete', { ref, argument })).toMatchObject({
      result: { completion: { values: [] } },
    });
  });

  it('complete with at most 100 values, and say that there are more', async () => {
    const peer = new StdioPeer();
    const ref = { type: 'ref/prompt', name: 'greet' };
    const argument = { name: 'who', value: 'many' };
    const { result } = await peer.ask('completion/complete', { ref, argument });
    expect(result).toMatchObject({ completion: { total: 150, hasMore: true } });
    expect((result as { completion: { values: string[] } }).completion.values).toHaveLength(100);
  });

  it.each([
    ['resources/read', {}, -32_602],
    ['resources/read', { uri: 'fixture://none' }, -32_002],
    ['prompts/get', { name: 'none' }, -32_602],
    ['prompts/get', { name: 'greet', arguments: { who: 1 } }, -32_602],
    ['completion/complete', {}, -32_602],
    ['completion/complete', { argument: { name: 'a', value: 'b' } }, -32_602],
    [
      'completion/complete',
      { ref: { type: 'ref/other' }, argument: { name: 'a', value: 'b' } },
      -32_602,
    ],
    ['tools/list', { cursor: 'nowhere' }, -32_602],
    ['tools/list', { cursor: 5 }, -32_602],
    ['no/such/method', {}, -32_601],
    ['__proto__', {}, -32_601],
    ['constructor', {}, -32_601],
  ])('%s with %j fails with %i', async (method, params, code) => {
    const peer = new StdioPeer();
    expect(await peer.ask(method, params)).toMatchObject({ error: { code } });
  });

  it('are not all there is to ask for, but the answer to anything else stays short', async () => {
    const peer = new StdioPeer();
    const answer = await peer.ask('x'.repeat(10_000));
    expect(answer).toMatchObject({ error: { code: -32_601 } });
    expect(JSON.stringify(answer).length).toBeLessThan(500);
  });

  it('name the resource that was not found, in the code of each era', async () => {
    const peer = new StdioPeer();
    expect(await peer.askStateless('resources/read', { uri: 'fixture://none' })).toMatchObject({
      error: { code: -32_602, data: { uri: 'fixture://none', code: 'toolbox.not_found' } },
    });
  });
});

const items = Array.from({ length: 2_500 }, (_, n) => n);

it('gives everything in one page while it fits', () => {
  expect(pageOf(items.slice(0, 1_000), undefined)).toEqual({
    items: items.slice(0, 1_000),
    next: {},
  });
});

it('leads from page to page to the end', () => {
  const seen: number[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = pageOf(items, cursor);
    seen.push(...page.items);
    cursor = page.next.nextCursor;
    pages += 1;
  } while (cursor !== undefined && pages < 10);
  expect(seen).toEqual(items);
  expect(pages).toBe(3);
});

it.each([5, '', '0', '-1', '1e3', 'abc', '2500', '99999999999', {}, null])(
  'refuses the cursor %j, which it never gave',
  (cursor) => {
    expect(() => pageOf(items, cursor)).toThrow('params.cursor');
  },
);
