import { describe, expect, it, vi } from 'vitest';
import type { ServerChange } from '../../contract/server/index.ts';
import { aClient, aContext, connectTo } from '../../../testkit/fleet/upstream/a-context.ts';
import {
  aHandshakeServer,
  aStatelessServer,
  RpcFault,
} from '../../../testkit/fleet/upstream/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

const schema = { type: 'object' };
const tool = (name: string): object => ({ name, inputSchema: schema });

describe('lists', () => {
  it('are read to the last page and kept until they change', async () => {
    const server = aHandshakeServer().on('tools/list', ({ cursor }) =>
      cursor === undefined
        ? { tools: [tool('a')], nextCursor: 'p2' }
        : { tools: [{ ...tool('b'), annotations: { readOnlyHint: true }, custom: 1 }] },
    );
    const upstream = await connectTo(server);
    const [first, second] = await Promise.all([upstream.listTools(), upstream.listTools()]);
    expect(first).toEqual([
      tool('a'),
      { ...tool('b'), annotations: { readOnlyHint: true }, custom: 1 },
    ]);
    expect(second).toEqual(first);
    expect(server.ofMethod('tools/list')).toHaveLength(2);
    const changes: ServerChange[] = [];
    const stop = upstream.onChange((change) => changes.push(change));
    server.on('tools/list', () => ({ tools: [] }));
    server.send({ method: 'notifications/tools/list_changed' });
    expect(await upstream.listTools()).toEqual([]);
    expect(changes).toEqual([{ kind: 'tools' }]);
    stop();
    server.send({ method: 'notifications/tools/list_changed' });
    expect(changes).toHaveLength(1);
  });

  it('that hold no time are not asked for again by every call', async () => {
    const server = aStatelessServer({ isHttp: true })
      .on('tools/list', () => ({ tools: [tool('a')], ttlMs: 0 }))
      .on('tools/call', () => ({ content: [] }));
    const upstream = await connectTo(server);
    for (let call = 0; call < 3; call += 1) await upstream.callTool('a', {}, aContext());
    expect(server.ofMethod('tools/list')).toHaveLength(1);
  });

  it('are empty, and not asked for, where the server does not declare them', async () => {
    const server = aHandshakeServer({ capabilities: {} });
    const upstream = await connectTo(server);
    expect(await upstream.listTools()).toEqual([]);
    expect(await upstream.listResources()).toEqual([]);
    expect(await upstream.listResourceTemplates()).toEqual([]);
    expect(await upstream.listPrompts()).toEqual([]);
    expect(server.methods().filter((method) => method?.endsWith('/list'))).toEqual([]);
  });

  it('of a server that declares what it does not have are empty, and that is a problem', async () => {
    const upstream = await connectTo(aHandshakeServer());
    expect(await upstream.listPrompts()).toEqual([]);
    expect(await upstream.listResourceTemplates()).toEqual([]);
    expect(upstream.problems).toEqual([
      'declared what prompts/list lists, and does not know the method',
    ]);
  });

  it('leave out entries that are none, and name why', async () => {
    const tools = [
      tool('good'),
      tool('good'),
      { inputSchema: schema },
      { name: 5, inputSchema: schema },
      { name: '', inputSchema: schema },
      { name: 'list', inputSchema: [] },
      { name: 'text', inputSchema: { type: 'string' } },
      { name: 'huge', inputSchema: { x: 'y'.repeat(upstreamLimits.maxToolBytes) } },
      { name: 'n'.repeat(upstreamLimits.maxNameLength + 1), inputSchema: schema },
      null,
      'text',
    ];
    const server = aHandshakeServer()
      .on('tools/list', () => ({ tools }))
      .on('resources/list', () => ({ resources: [{ uri: 'a:b' }, { uri: 'no uri' }] }))
      .on('prompts/list', () => ({ prompts: 'none' }));
    const upstream = await connectTo(server);
    expect(await upstream.listTools()).toEqual([tool('good')]);
    expect(await upstream.listResources()).toEqual([{ uri: 'a:b', name: 'a:b' }]);
    expect(await upstream.listPrompts()).toEqual([]);
    expect(upstream.problems).toEqual([
      'listed tool "good", which is left out: another has the same name',
      'listed an entry of tools without name (5 times)',
      'listed a tool with a wrong inputSchema, which is corrected or left out (3 times)',
      'listed tool "list", which is left out: its input schema is not that of an object',
      'listed tool "text", which is left out: its input schema is not that of an object',
      `listed tool "huge", which is left out: it is larger than ${upstreamLimits.maxToolBytes} bytes`,
      `listed tool "${'n'.repeat(80)}…", which is left out: its name is too long`,
      'listed resource "no uri", which is left out: its uri is none',
      'answered prompts/list without a list',
    ]);
  });

  it('have wrong members corrected or left out, and the right ones untouched', async () => {
    const right = {
      ...tool('right'),
      title: 'Right',
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^x' } } },
      outputSchema: { type: 'object', properties: { b: { $ref: '#/$defs/B' } }, $defs: { B: {} } },
      annotations: { readOnlyHint: true, custom: 1 },
      custom: [1],
    };
    const tools = [
      right,
      { name: 'no schema' },
      { name: 'no type', inputSchema: { properties: { a: {} } } },
      { name: 'types', inputSchema: { type: ['object', 'null'] } },
      {
        name: 'all wrong',
        title: null,
        description: 5,
        inputSchema: { type: 'OBJECT', properties: { a: true, b: 'x' }, required: ['a', 7] },
        outputSchema: { properties: { b: { $ref: 'https://elsewhere.example/b' } } },
        annotations: { readOnlyHint: 'yes', idempotentHint: true },
        icons: [{ src: 'i' }, { href: 'j' }],
        _meta: [],
      },
    ];
    const server = aHandshakeServer().on('tools/list', () => ({ tools }));
    const upstream = await connectTo(server);
    const any = { type: 'object' };
    expect(await upstream.listTools()).toEqual([
      right,
      { name: 'no schema', inputSchema: any },
      { name: 'no type', inputSchema: { ...any, properties: { a: {} } } },
      { name: 'types', inputSchema: any },
      {
        name: 'all wrong',
        inputSchema: { ...any, properties: { a: {}, b: {} }, required: ['a'] },
        annotations: { idempotentHint: true },
        icons: [{ src: 'i' }],
      },
    ]);
  });

  it('end with a server that pages for ever', async () => {
    let page = 0;
    const server = aHandshakeServer()
      .on('tools/list', () => ({ tools: [tool(`t${(page += 1)}`)], nextCursor: `c${page}` }))
      .on('prompts/list', () => ({ prompts: [{ name: 'p' }], nextCursor: 'same' }))
      .on('resources/list', () => ({
        resources: Array.from({ length: upstreamLimits.maxListItems + 5 }, (_, at) => ({
          uri: `u:${at}`,
        })),
        nextCursor: 'more',
      }))
      .on('resources/templates/list', ({ cursor }) => ({
        resourceTemplates: [
          { uriTemplate: `t:${String(cursor).length}`, x: 'y'.repeat(4_000_000) },
        ],
        nextCursor: `${String(cursor)}+`,
      }));
    const upstream = await connectTo(server);
    expect(await upstream.listTools()).toHaveLength(upstreamLimits.maxPages);
    expect(await upstream.listPrompts()).toHaveLength(1);
    expect(await upstream.listResources()).toHaveLength(upstreamLimits.maxListItems);
    expect((await upstream.listResourceTemplates()).length).toBeLessThan(15);
    expect(upstream.problems).toEqual([
      `answered tools/list with more than ${upstreamLimits.maxPages} pages`,
      'listed prompt "p", which is left out: another has the same name',
      'answered prompts/list with the same page again and again',
      `listed more than ${upstreamLimits.maxListItems} resources`,
      `listed more than ${upstreamLimits.maxListBytes} bytes of resourceTemplates`,
    ]);
  });

  it('are asked for again after a failure', async () => {
    const server = aHandshakeServer().on('tools/list', () => {
      throw new RpcFault({ code: -32_603, message: 'not yet' });
    });
    const upstream = await connectTo(server);
    await expect(upstream.listTools()).rejects.toMatchObject({ code: 'fleet.upstream_error' });
    server.on('tools/list', () => ({ tools: [tool('a')] }));
    expect(await upstream.listTools()).toHaveLength(1);
  });

  it('are asked for again when the time the server gave is over', async () => {
    let now = 1_000;
    const server = aStatelessServer().on('tools/list', () => ({
      tools: [tool('a')],
      ttlMs: 500,
      cacheScope: 'private',
    }));
    const upstream = await connectTo(server, { clock: { now: () => now } });
    expect(upstream.listingFreshUntil('tools')).toBeUndefined();
    await upstream.listTools();
    expect(upstream.listingFreshUntil('tools')).toBe(1_500);
    now = 1_499;
    await upstream.listTools();
    expect(server.ofMethod('tools/list')).toHaveLength(1);
    now = 1_500;
    await upstream.listTools();
    expect(server.ofMethod('tools/list')).toHaveLength(2);
  });

  it('that take too long are given up', async () => {
    vi.useFakeTimers();
    try {
      const server = aHandshakeServer().on('tools/list', () => undefined);
      const upstream = await connectTo(server);
      const listing = upstream.listTools().catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(upstreamLimits.listMs);
      expect(await listing).toMatchObject({ code: 'kernel.time_limit' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('announcements', () => {
  it('of changes reach the listeners', async () => {
    const server = aHandshakeServer();
    const upstream = await connectTo(server);
    const changes: ServerChange[] = [];
    upstream.onChange((change) => changes.push(change));
    server.send({ method: 'notifications/prompts/list_changed' });
    server.send({ method: 'notifications/resources/list_changed' });
    server.send({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    server.send({ method: 'notifications/resources/updated', params: {} });
    server.send({ method: 'notifications/unheard/of', params: {} });
    expect(changes).toEqual([
      { kind: 'prompts' },
      { kind: 'resources' },
      { kind: 'resource', uri: 'a:b' },
    ]);
  });

  it('of the log go to the client whose call runs, else to everybody', async () => {
    const server = aHandshakeServer().on('tools/call', () => undefined);
    const upstream = await connectTo(server);
    const changes: ServerChange[] = [];
    upstream.onChange((change) => changes.push(change));
    const log = (data: string, during?: number): void =>
      server.send({ method: 'notifications/message', params: { level: 'info', data } }, during);
    const named = (data: string): object => ({ level: 'info', data, logger: upstream.name });
    log('before');
    const [a, b] = [aClient('a'), aClient('b')];
    upstream.callTool('t', {}, aContext({ client: a })).catch(() => {});
    const first = await server.untilSent('tools/call');
    log('of a');
    upstream.callTool('t', {}, aContext({ client: b })).catch(() => {});
    const second = await server.untilSent('tools/call', 2);
    log('of either');
    log('of b', Number(second.id));
    server.send({ method: 'notifications/elicitation/complete', params: {} }, Number(first.id));
    expect(changes).toEqual([
      { kind: 'log', params: named('before') },
      { kind: 'log', params: named('of either') },
    ]);
    expect(a.told).toEqual([
      { method: 'notifications/message', params: named('of a') },
      { method: 'notifications/elicitation/complete', params: {} },
    ]);
    expect(b.told).toEqual([{ method: 'notifications/message', params: named('of b') }]);
  });

  it('of the log say whose they are, in front of what the server says', async () => {
    const server = aHandshakeServer();
    const upstream = await connectTo(server);
    const changes: ServerChange[] = [];
    upstream.onChange((change) => changes.push(change));
    const params = { level: 'info', logger: 'database', data: { rows: 1 } };
    server.send({ method: 'notifications/message', params });
    const logger = `${upstream.name}/database`;
    expect(changes).toEqual([{ kind: 'log', params: { ...params, logger } }]);
  });

  it('of a resource are asked for once, however many watch it, and ended with the last', async () => {
    const server = aHandshakeServer()
      .on('resources/subscribe', () => ({}))
      .on('resources/unsubscribe', () => ({}));
    const upstream = await connectTo(server);
    const stops = [await upstream.watchResource('a:b'), await upstream.watchResource('a:b')];
    await server.untilSent('resources/subscribe');
    stops[0]?.();
    stops[0]?.();
    stops[1]?.();
    await server.untilSent('resources/unsubscribe');
    expect(server.ofMethod('resources/subscribe')).toHaveLength(1);
    expect(server.ofMethod('resources/unsubscribe')).toHaveLength(1);
  });

  it('are not asked of a server without them, and a refusal is a problem', async () => {
    const without = aHandshakeServer({ capabilities: { resources: {} } });
    await (await connectTo(without)).watchResource('a:b');
    expect(without.methods()).not.toContain('resources/subscribe');
    const refusing = aHandshakeServer();
    const upstream = await connectTo(refusing);
    await upstream.watchResource('a:b');
    await vi.waitFor(() => expect(upstream.problems).toEqual(['refused resources/subscribe']));
  });

  it('of a stateless server come by one subscription, opened anew for other resources', async () => {
    const capabilities = {
      tools: { listChanged: true },
      prompts: {},
      resources: { subscribe: true },
    };
    const server = aStatelessServer({ capabilities });
    const upstream = await connectTo(server);
    const first = await server.untilSent('subscriptions/listen');
    expect(first.params['notifications']).toEqual({ toolsListChanged: true });
    expect(upstream.inFlight).toBe(0);
    const stop = await upstream.watchResource('a:b');
    const second = await server.untilSent('subscriptions/listen', 2);
    expect(second.params['notifications']).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['a:b'],
    });
    expect(server.ofMethod('notifications/cancelled')[0]?.params['requestId']).toBe(first.id);
    stop();
    await server.untilSent('subscriptions/listen', 3);
    await upstream.close();
  });

  it('of a stateless server are asked for again when the subscription ends, lists included', async () => {
    vi.useFakeTimers();
    try {
      const capabilities = { tools: { listChanged: true } };
      const server = aStatelessServer({ capabilities });
      const upstream = await connectTo(server);
      const changes: ServerChange[] = [];
      upstream.onChange((change) => changes.push(change));
      const { id } = await server.untilSent('subscriptions/listen');
      server.send({ id, result: { resultType: 'complete' } });
      await vi.advanceTimersByTimeAsync(2 * upstreamLimits.listenPauseMs);
      expect(server.ofMethod('subscriptions/listen')).toHaveLength(2);
      expect(changes).toEqual([{ kind: 'tools' }]);
      await upstream.close();
      await vi.advanceTimersByTimeAsync(upstreamLimits.maxListenPauseMs);
      expect(server.ofMethod('subscriptions/listen')).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of a stateless server that refuses the subscription are not asked for again', async () => {
    vi.useFakeTimers();
    try {
      const server = aStatelessServer({ capabilities: { tools: { listChanged: true } } });
      server.answers.delete('subscriptions/listen');
      await connectTo(server);
      await server.untilSent('subscriptions/listen');
      await vi.advanceTimersByTimeAsync(upstreamLimits.maxListenPauseMs);
      expect(server.ofMethod('subscriptions/listen')).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
