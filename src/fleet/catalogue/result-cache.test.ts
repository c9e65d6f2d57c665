import { expect, it } from 'vitest';
import { withWireText, wireTextOf } from '../../contract/wire/index.ts';
import type { CallContext, ClientPort } from '../../contract/server/index.ts';
import { cacheMetaKey, type Tool, type ToolResult } from '../../contract/tool/index.ts';
import { aFleet, anEntry, anOutside, type FakeOutside } from '../../../testkit/fleet/a-fleet.ts';
import { aConnection, aContext, type FakeConnection } from '../../../testkit/fleet/a-server.ts';
import type { CallSpan, CallTracer } from '../call-tracer.ts';
import type { OpenFleet } from '../create-fleet.ts';

const readOnly = { annotations: { readOnlyHint: true } } as const;
const tools: readonly Tool[] = [
  { name: 'get', inputSchema: { type: 'object' }, ...readOnly },
  { name: 'list', inputSchema: { type: 'object' }, ...readOnly },
  { name: 'set', inputSchema: { type: 'object' } },
];

type Call = (name: string, args: unknown, context: CallContext) => Promise<ToolResult>;

interface Shop extends OpenFleet {
  readonly outside: FakeOutside;
  readonly connections: FakeConnection[];
  /** What reached the server. */
  readonly sent: string[];
}

function aShop(settings: object = {}, call?: Call, tracer?: CallTracer): Shop {
  const sent: string[] = [];
  const connections: FakeConnection[] = [];
  const entry = anEntry('shop', { trustAnnotations: true, cache: { ttlMs: 60_000 }, ...settings });
  const outside = anOutside([entry], async () => {
    const connection = aConnection('shop', {
      listTools: async () => tools,
      callTool: async (name, args, context) => {
        sent.push(name);
        if (call) return call(name, args, context);
        return { content: [{ type: 'text', text: `${name} ${sent.length}` }] };
      },
    });
    connections.push(connection);
    return connection;
  });
  return { ...aFleet({ outside, ...(tracer && { tracer }) }), outside, connections, sent };
}

const by = (id: string, more: Partial<CallContext> = {}): CallContext =>
  aContext({ caller: { id }, ...more });

function textOf(result: ToolResult): unknown {
  return result.content[0]?.['text'];
}

it('answers the same call from the earlier result, marks it, and sends any other', async () => {
  const { catalogue, sent } = aShop();
  const call = (name: string, args: object, caller = 'anna'): Promise<ToolResult> =>
    catalogue.callTool(name, args, by(caller));
  expect(await call('get', { a: 1, b: 2 })).not.toHaveProperty('_meta');
  const again = await call('get', { b: 2, a: 1 });
  expect(textOf(again)).toBe('get 1');
  expect(again._meta?.[cacheMetaKey]).toMatchObject({ hit: true });
  await call('get', { a: 1, b: 3 });
  await call('list', { a: 1, b: 2 });
  expect(textOf(await call('get', { a: 1, b: 2 }, 'bert'))).toBe('get 4');
  expect(sent.length).toBe(4);
});

it('tells the tenants of one caller id apart', async () => {
  const { catalogue, sent } = aShop();
  for (const tenant of ['acme', 'zeta', 'acme']) {
    await catalogue.callTool('get', {}, aContext({ caller: { id: 'anna', tenant } }));
  }
  expect(sent.length).toBe(2);
});

it.each<[string, object]>([
  ['without the setting', { cache: undefined }],
  ['of a server that is not trusted', { trustAnnotations: false }],
  ['of tools that are not named', { cache: { ttlMs: 60_000, tools: ['list*'] } }],
  ['where clients have processes of their own', { maxProcesses: 2 }],
])('keeps nothing %s', async (_what, settings) => {
  const { catalogue, sent } = aShop(settings);
  await catalogue.callTool('get', {}, by('anna'));
  await catalogue.callTool('get', {}, by('anna'));
  expect(sent).toEqual(['get', 'get']);
});

it('never keeps results of a tool that is not read-only', async () => {
  const { catalogue, sent } = aShop({ cache: { ttlMs: 60_000, tools: ['*'] } });
  await catalogue.callTool('set', {}, by('anna'));
  await catalogue.callTool('set', {}, by('anna'));
  expect(sent).toEqual(['set', 'set']);
});

it('forgets after the time, a write, an announced change and a restart', async () => {
  const { catalogue, sent, connections } = aShop({ cache: { ttlMs: 40 }, retryDelayMs: 1 });
  const get = (): Promise<ToolResult> => catalogue.callTool('get', {}, by('anna'));
  const isSentAfter = async (event: () => unknown): Promise<boolean> => {
    await get();
    const before = sent.length;
    await event();
    await get();
    return sent.length > before;
  };
  expect(await isSentAfter(() => new Promise((resolve) => setTimeout(resolve, 60)))).toBe(true);
  expect(await isSentAfter(() => undefined)).toBe(false);
  // Another caller's write counts, too.
  expect(await isSentAfter(() => catalogue.callTool('set', {}, by('bert')))).toBe(true);
  expect(await isSentAfter(() => connections[0]?.change({ kind: 'tools' }))).toBe(true);
  expect(await isSentAfter(() => connections[0]?.change({ kind: 'resource', uri: 'a:b' }))).toBe(
    true,
  );
  expect(await isSentAfter(() => connections[0]?.end('crashed'))).toBe(true);
});

it('does not keep what was read while a write ran', async () => {
  const reads: PromiseWithResolvers<ToolResult>[] = [];
  const { catalogue, sent } = aShop({}, async (name) => {
    if (name === 'set') return { content: [] };
    const read = Promise.withResolvers<ToolResult>();
    reads.push(read);
    return read.promise;
  });
  const old = catalogue.callTool('get', {}, by('anna'));
  await expect.poll(() => reads.length).toBe(1);
  await catalogue.callTool('set', {}, by('anna'));
  // A read after the write does not join the one from before.
  const fresh = catalogue.callTool('get', {}, by('anna'));
  await expect.poll(() => reads.length).toBe(2);
  reads[0]?.resolve({ content: [{ type: 'text', text: 'old' }] });
  reads[1]?.resolve({ content: [{ type: 'text', text: 'fresh' }] });
  expect([textOf(await old), textOf(await fresh)]).toEqual(['old', 'fresh']);
  expect(textOf(await catalogue.callTool('get', {}, by('anna')))).toBe('fresh');
  expect(sent).toEqual(['get', 'set', 'get']);
});

it('sends one of many equal calls, and each again when that one is cancelled', async () => {
  const answers: PromiseWithResolvers<ToolResult>[] = [];
  const { catalogue, sent } = aShop({}, () => {
    const answer = Promise.withResolvers<ToolResult>();
    answers.push(answer);
    return answer.promise;
  });
  const left = new AbortController();
  const first = catalogue.callTool('get', {}, by('anna', { signal: left.signal }));
  await expect.poll(() => sent.length).toBe(1);
  const second = catalogue.callTool('get', {}, by('anna'));
  left.abort(new Error('left'));
  answers[0]?.reject(new Error('left'));
  await expect(first).rejects.toThrow('left');
  await expect.poll(() => sent.length).toBe(2);
  answers[1]?.resolve({ content: [{ type: 'text', text: 'mine' }] });
  expect(textOf(await second)).toBe('mine');

  const many = Array.from({ length: 20 }, () => catalogue.callTool('list', {}, by('anna')));
  await expect.poll(() => sent.length).toBe(3);
  answers[2]?.resolve({ content: [{ type: 'text', text: 'one' }] });
  expect(new Set((await Promise.all(many)).map(textOf))).toEqual(new Set(['one']));
  expect(sent.length).toBe(3);
});

it('keeps no failed or deferred results, and none that a person was asked for', async () => {
  const client: ClientPort = {
    id: 'c',
    era: 'handshake',
    capabilities: { elicitation: {} },
    ask: async () => ({ action: 'accept' }),
    notify: () => undefined,
  };
  const { catalogue, sent } = aShop({}, async (_name, args, context) => {
    const { kind } = args as { kind: string };
    if (kind === 'failed') return { content: [], isError: true };
    if (kind === 'deferred') return { content: [], resultType: 'task' };
    await context.client?.ask({ method: 'elicitation/create', params: {} }, context.signal);
    return { content: [] };
  });
  for (const kind of ['failed', 'deferred', 'asked']) {
    await catalogue.callTool('get', { kind }, by('anna', { client }));
    await catalogue.callTool('get', { kind }, by('anna', { client }));
  }
  await catalogue.callTool('get', { kind: 'other' }, by('anna', { extra: { task: {} } }));
  await catalogue.callTool('get', { kind: 'other' }, by('anna', { extra: { task: {} } }));
  expect(sent.length).toBe(8);
});

it('passes a kept result on with the bytes of the server, and tells large numbers apart', async () => {
  const text = '{"content":[],"structuredContent":{"n":12345678901234567890}}';
  const { catalogue, sent } = aShop({}, async () => withWireText(JSON.parse(text), text));
  const args = (n: string) => withWireText(JSON.parse(`{"n":${n}}`), `{"n":${n}}`);
  await catalogue.callTool('get', args('9007199254740993'), by('anna'));
  const hit = await catalogue.callTool('get', args('9007199254740993'), by('anna'));
  expect(wireTextOf(hit)).toMatch(/^\{"_meta":\{"tutti\/cache":\{"hit":true,"ageMs":\d+\}\},/);
  expect(wireTextOf(hit)).toContain('12345678901234567890');
  expect(JSON.parse(wireTextOf(hit) ?? '')).toEqual({ ...hit });
  await catalogue.callTool('get', args('9007199254740992'), by('anna'));
  expect(sent.length).toBe(2);
});

it('is bounded: large results are not kept, and old ones make room', async () => {
  const { catalogue, sent } = aShop({}, async (_name, args) => {
    const { bytes } = args as { bytes: number };
    return { content: [{ type: 'text', text: 'x'.repeat(bytes) }] };
  });
  await catalogue.callTool('get', { bytes: 2_000_000 }, by('anna'));
  await catalogue.callTool('get', { bytes: 2_000_000 }, by('anna'));
  expect(sent.length).toBe(2);
  for (let at = 0; at < 1_100; at += 1)
    await catalogue.callTool('get', { bytes: 1, at }, by('anna'));
  await catalogue.callTool('get', { bytes: 1, at: 0 }, by('anna'));
  expect(sent.length).toBe(1_103);
});

it('shows hits and misses in the span of the call', async () => {
  const facts: unknown[] = [];
  const span: CallSpan = {
    setAttributes: (fact) => void facts.push(fact),
    fail: () => undefined,
    cancel: () => undefined,
    outgoingMeta: () => ({}),
    runIn: (work) => work(),
    end: () => undefined,
  };
  const { catalogue } = aShop({}, undefined, { open: () => span });
  await catalogue.callTool('get', {}, by('anna'));
  await catalogue.callTool('get', {}, by('anna'));
  expect(facts).toEqual([{ 'tutti.cache': 'miss' }, { 'tutti.cache': 'hit' }]);
});
