import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { localCaller } from '../src/contract/caller/index.ts';
import { aService, sessionHeaders, type AService, type Era } from '../testkit/access/a-service.ts';
import { statelessMeta, type Json } from '../testkit/gateway/stdio-peer.ts';

const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];
let service: AService;

beforeAll(async () => {
  service = await aService();
});

afterAll(() => service.close());

describe.each(eras)('a caller with the scope alpha.* in %s', (era) => {
  it('sees and calls what is in its scope, and nothing else exists for it', async () => {
    const secret = await service.key({ name: `a${era}`, role: 'developer', scopes: ['alpha.*'] });
    const client = service.client(secret);
    const ask = (method: string, params?: Json) => client.ask(era, method, params);
    const call = (name: string) => ask('tools/call', { name, arguments: { x: 1 } });
    expect((await ask('tools/list')).result.tools?.map(({ name }) => name)).toEqual([
      'alpha__echo',
    ]);
    expect((await call('alpha__echo')).text).toContain('x');
    for (const [hidden, missing] of [
      ['beta__echo', 'zeta__echo'],
      ['beta.echo', 'zeta.echo'],
      ['code__format_code', 'zode__format_code'],
      ['admin__call_tool', 'zdmin__call_tool'],
    ] as const) {
      const answers = [await call(hidden), await call(missing)];
      const [theirs, none] = answers.map(({ status, text }) => `${status} ${text}`);
      expect(theirs?.replaceAll(hidden, missing)).toBe(none);
      expect(none).toContain('fleet.not_found');
    }
    const resources = await ask('resources/list');
    expect(resources.text).toContain('alpha://one');
    expect(resources.text).not.toContain('beta');
    expect((await ask('resources/read', { uri: 'alpha://one' })).text).toContain('of alpha');
    const [theirs, none] = [
      await ask('resources/read', { uri: 'beta://one' }),
      await ask('resources/read', { uri: 'zeta://one' }),
    ];
    expect(theirs.text.replaceAll('beta', 'zeta')).toBe(none.text);
    const prompts = await ask('prompts/list');
    expect(prompts.text).toContain('alpha__greet');
    expect(prompts.text).not.toContain('beta');
    const [beta, zeta] = [
      await ask('prompts/get', { name: 'beta__greet' }),
      await ask('prompts/get', { name: 'zeta__greet' }),
    ];
    expect(beta.text.replaceAll('beta', 'zeta')).toBe(zeta.text);
    const hello =
      era === '2026-07-28'
        ? await ask('server/discover')
        : await client.post({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: era,
              capabilities: {},
              clientInfo: { name: 't', version: '1' },
            },
          });
    expect(hello.text).toContain('Instructions of alpha');
    expect(hello.text).not.toContain('beta');
  });

  it('finds, plans and asks for nothing beyond it', async () => {
    const scopes = ['alpha.*', 'admin.*', 'workflow.*', 'agent.*'];
    const secret = await service.key({ name: `b${era}`, role: 'developer', scopes });
    const call = (name: string, args: Json) =>
      service.client(secret).ask(era, 'tools/call', { name, arguments: args });
    const found = await call('admin__find_tools', { query: 'echo beta', k: 20 });
    expect(found.text).toContain('alpha.echo');
    expect(found.text).not.toContain('beta.echo');
    expect((await call('admin__list_tools', {})).text).not.toContain('beta');
    expect((await call('admin__get_server_status', {})).text).not.toContain('beta');
    expect((await call('admin__call_tool', { name: 'alpha.echo' })).text).not.toContain('isError');
    const [hidden, missing] = [
      await call('admin__call_tool', { name: 'beta.echo' }),
      await call('admin__call_tool', { name: 'zeta.echo' }),
    ];
    expect(hidden.text.replaceAll('beta', 'zeta')).toBe(missing.text);
    const plan = (tool: string) => ({ plan: { steps: [{ id: 'a', tool, args: {} }] } });
    const checked = [
      await call('workflow__check_plan', plan('beta.echo')),
      await call('workflow__check_plan', plan('zeta.echo')),
    ].map(({ text }) => text);
    expect(checked[0]?.replaceAll('beta', 'zeta')).toBe(checked[1]);
    expect(checked[1]).toContain('zeta.echo');
    const ran = await call('workflow__run_plan', plan('beta.echo'));
    expect(ran.result.isError).toBe(true);
    const good = await call('workflow__run_plan', plan('alpha.echo'));
    expect(good.result.structuredContent).toMatchObject({ status: 'succeeded' });
    expect((await call('agent__ask', { message: 'call beta.echo' })).text).not.toContain(
      'Echoes beta',
    );
    expect(service.beta.received.some((text) => text.includes('tools/call'))).toBe(false);
  });
});

describe('roles', () => {
  it('decide on own tools by their own permission', async () => {
    const call = async (
      role: 'viewer' | 'operator' | 'developer',
      name: string,
      args: Json = {},
    ) => {
      const secret = await service.key({ name: `r-${role}`, role });
      const { errorCode } = await service
        .client(secret)
        .stateless('tools/call', { name, arguments: args });
      return errorCode === 'access.forbidden' ? errorCode : 'served';
    };
    expect(await call('viewer', 'alpha__echo')).toBe('access.forbidden');
    expect(await call('viewer', 'workflow__list_runs')).toBe('served');
    expect(await call('viewer', 'admin__call_tool', { name: 'workflow.list_runs' })).toBe('served');
    expect(await call('viewer', 'admin__call_tool', { name: 'alpha.echo' })).toBe(
      'access.forbidden',
    );
    expect(await call('viewer', 'admin__cancel_task', { id: 'x' })).toBe('access.forbidden');
    expect(await call('operator', 'admin__cancel_task', { id: 'x' })).toBe('served');
    expect(await call('operator', 'workflow__run_plan', { plan: {} })).toBe('access.forbidden');
    expect(await call('developer', 'alpha__echo')).toBe('served');
  });

  it('decide on metrics', async () => {
    const status = async (role: 'viewer' | 'operator'): Promise<number> => {
      const client = service.client(await service.key({ name: 'm', role }));
      return (await client.fetch('/metrics')).status;
    };
    expect(await status('viewer')).toBe(403);
    expect(await status('operator')).toBe(200);
  });
});

describe('what belongs to one caller', () => {
  it('does not exist for another: runs, artifacts, conversations, sessions', async () => {
    const anna = service.client(
      await service.key({ name: 'anna', role: 'developer', tenant: 't1' }),
    );
    const bob = service.client(await service.key({ name: 'bob', role: 'owner', tenant: 't1' }));
    const long = 'canary '.repeat(20_000);
    const plan = { steps: [{ id: 'a', tool: 'alpha.echo', args: { long } }] };
    const run = await anna.stateless('tools/call', {
      name: 'workflow__run_plan',
      arguments: { plan },
    });
    const runId = String(run.result.structuredContent?.['runId']);
    const [artifact = ''] = /sha256:[\da-f]{64}/.exec(run.text) ?? [];
    const conversation = await service.system.memory.sessions.create({ id: 't1/anna' });
    await conversation.close();
    const other = (id: string): string => id.replaceAll(/[\da-z]/g, (c) => (c === '0' ? '1' : '0'));
    const cases: readonly (readonly [string, (id: string) => Json, string])[] = [
      ['workflow__get_run', (id) => ({ run_id: id }), runId],
      ['admin__cancel_task', (id) => ({ id }), runId],
      ['agent__ask', (session) => ({ message: 'hello', session }), conversation.id],
      ['workflow__read_artifact', (id) => ({ id }), artifact],
    ];
    expect(artifact).not.toBe('');
    for (const era of eras) {
      for (const [name, argumentsFor, id] of cases) {
        const missing =
          name === 'workflow__read_artifact' ? `sha256:${other(id.slice(7))}` : other(id);
        const ask = (client: typeof bob, wanted: string) =>
          client.ask(era, 'tools/call', { name, arguments: argumentsFor(wanted) });
        const theirs = await ask(bob, id);
        const none = await ask(bob, missing);
        expect(theirs.text.replaceAll(id, missing), name).toBe(none.text);
        expect(theirs.result.isError, name).toBe(true);
        if (name !== 'admin__cancel_task') {
          expect((await ask(anna, id)).result.isError ?? false, name).toBe(false);
        }
      }
      const listed = await bob.ask(era, 'tools/call', {
        name: 'workflow__list_runs',
        arguments: {},
      });
      expect(listed.text).not.toContain(runId);
    }
    const session = await anna.session();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const theirs = await bob.post(list, sessionHeaders(session));
    const none = await bob.post(list, sessionHeaders(other(session)));
    expect([theirs.status, theirs.text]).toEqual([none.status, none.text]);
    expect(theirs.status).toBe(404);
    const removed = await bob.fetch('/mcp', { method: 'DELETE', headers: sessionHeaders(session) });
    expect(removed.status).toBe(404);
    expect((await anna.inSession('tools/list')).status).toBe(200);
  });
});

describe('a revoked key', () => {
  it('ends its requests, streams and sessions at once, and its runs at their next step', async () => {
    const { system, url } = service;
    const { key, secret } = await system.keys.create(localCaller, {
      name: 'gone',
      role: 'developer',
    });
    const client = service.client(secret);
    const session = await client.session();
    const stream = await client.fetch('/mcp', {
      headers: { accept: 'text/event-stream', ...sessionHeaders(session) },
    });
    const transport = new SSEClientTransport(new URL('/sse', url), {
      requestInit: { headers: { authorization: `Bearer ${secret}` } },
      eventSourceInit: {
        fetch: (target, init) =>
          fetch(target, {
            ...init,
            headers: { ...Object(init).headers, authorization: `Bearer ${secret}` },
          }),
      },
    });
    const legacy = new Client({ name: 'legacy', version: '1' });
    await legacy.connect(transport);
    expect((await legacy.listTools()).tools.length).toBeGreaterThan(3);
    const plan = {
      steps: [
        { id: 'pause', wait: 'go' },
        { id: 'after', tool: 'alpha.echo', args: { said: '${pause}' } },
      ],
    };
    const started = await system.workflows
      .start(
        { id: 'default/gone', tenant: 'default', role: 'developer', credential: `key:${key.id}` },
        { source: { kind: 'data', plan }, input: {} },
      )
      .catch((error: unknown) => error);
    await system.keys.revoke(localCaller, key.id);
    await expect(stream.text()).rejects.toThrow('terminated');
    expect((await client.stateless('tools/list')).status).toBe(401);
    expect((await client.inSession('tools/list')).status).toBe(401);
    await expect(legacy.listTools()).rejects.toThrow(/401|token|Unauthorized/i);
    await legacy.close();
    const { runId } = Object(started);
    expect(runId, String(started)).toBeTypeOf('string');
    await system.workflows.signal({ id: 'default/gone' }, runId, 'go', true);
    const view = await system.workflows.follow({ id: 'default/gone' }, runId, {
      execute: true,
      signal: AbortSignal.timeout(20_000),
    });
    expect(view).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(view)).toContain('access.caller_revoked');
  });
});

describe('the token of a caller', () => {
  it('never reaches a server behind us, a log or a trace', async () => {
    const secret = await service.key({ name: 'canary', role: 'developer' });
    const client = service.client(secret);
    for (const era of eras) {
      await client.ask(era, 'tools/call', { name: 'alpha__echo', arguments: { a: 1 } });
      await client.ask(era, 'resources/read', { uri: 'alpha://one' });
      await client.ask(era, 'tools/call', { name: 'none', arguments: {} });
    }
    await service.client(`${secret}x`).stateless('tools/list');
    const sent = [...service.alpha.received, ...service.beta.received].join('\n');
    expect(sent).toContain('tools/call');
    expect(sent).not.toContain(secret.slice(14));
    expect(sent.toLowerCase()).not.toContain('authorization');
    expect(service.logged()).not.toContain(secret.slice(14));
    const traces = await service.system.traces.recent(1_000);
    expect(JSON.stringify(traces)).not.toContain(secret.slice(14));
  });
});

describe('a method or tool that the role does not allow', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'is answered with 403 and the challenge of MCP, and recorded (%s)',
    async (era) => {
      const key = { name: `viewer-${era}`, tenant: 'acme', role: 'viewer' } as const;
      const client = service.client(await service.key(key));
      const method = await client.ask(era, 'tasks/list');
      const tool = await client.ask(era, 'tools/call', { name: 'alpha__echo', arguments: {} });
      const rest = await client.fetch('/api/v1/runs', { method: 'POST', body: '{}' });
      for (const { status, headers } of [method, tool, rest]) {
        expect(status).toBe(403);
        expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
      }
      expect([method.errorCode, tool.errorCode]).toEqual(['access.forbidden', 'access.forbidden']);
      const by = { limit: 100, isAllowed: false, callerId: `acme/viewer-${era}` };
      const rows = await service.system.audit.list(localCaller, by);
      expect(rows.map(({ action, target, face }) => [action, target, face])).toEqual([
        ['tools.call', 'tasks/list', 'mcp'],
        ['tools.call', 'alpha.echo', 'mcp'],
        ['runs.start', 'POST /api/v1/runs', 'rest'],
      ]);
      expect(rows[0]?.rule).toContain('role viewer, and tools.call is from');
    },
  );
});

describe('a request whose headers and body differ', () => {
  it('is refused, recorded, logged and counted', async () => {
    const client = service.client(await service.key({ name: 'mismatch', role: 'developer' }));
    const params = { name: 'alpha__echo', arguments: {}, _meta: statelessMeta };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    expect((await client.post(body, headers)).status).toBe(400);
    const by = { limit: 10, isAllowed: false, callerId: 'default/mismatch' };
    const [row] = await service.system.audit.list(localCaller, by);
    expect(row).toMatchObject({ action: 'guard.refused', target: 'tools/call', face: 'mcp' });
    expect(service.logged()).toContain('request headers do not match its body');
    const metrics = await service.client(service.ownToken).fetch('/metrics');
    expect(await metrics.text()).toMatch(
      /tutti_refused_requests_total\{reason="header mismatch"\} [1-9]/,
    );
  });
});

describe('baggage of a client', () => {
  it.each(eras)('reaches a server only with keys that the settings name (%s)', async (era) => {
    const limited = await aService({ tracing: { baggage_keys: ['tenant.tier', 'region'] } });
    try {
      const sent = 'tenant.tier=gold;p=1, secret=canary,region=eu,tenant.tier2=x';
      const _meta = { ...(era === '2026-07-28' && statelessMeta), baggage: sent };
      const call = { name: 'alpha__echo', arguments: {}, _meta };
      await limited.client(limited.ownToken).ask(era, 'tools/call', call);
      await service.client(service.ownToken).ask(era, 'tools/call', call);
      const long = { ...call, _meta: { ..._meta, baggage: `region=${'x'.repeat(3_000)}` } };
      await limited.client(limited.ownToken).ask(era, 'tools/call', long);
      const baggageOf = ({ alpha }: AService): unknown[] =>
        alpha.received
          .filter((request) => request.includes('"tools/call"'))
          .map((request) => /"baggage":"([^"]*)"/.exec(request)?.[1]);
      expect(baggageOf(limited)).toEqual(['tenant.tier=gold;p=1,region=eu', undefined]);
      expect(baggageOf(service).at(-1)).toBeUndefined();
    } finally {
      await limited.close();
    }
  });
});
