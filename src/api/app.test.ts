import { describe, expect, it } from 'vitest';
import { digestJson, ownIdentity } from '../kernel/index.ts';
import { anApi, fakePorts, serveApi } from '../../testkit/api/an-api.ts';

const startBody = { plan: { steps: [{ id: 'a', tool: 'fake.echo_all' }] } };

describe('a request', () => {
  it('is refused without a caller, as a problem with a code', async () => {
    const { status, headers, json } = await (await anApi()).send({ path: '/api/v1/runs', as: '' });
    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(json).toMatchObject({ status: 401, code: 'api.unauthenticated' });
  });

  it('is refused where the role lacks the permission, before anything of it is read', async () => {
    const api = await anApi();
    const ask = { method: 'POST', path: '/api/v1/runs', body: '{broken', as: 'vera' };
    const { status, json } = await api.send(ask);
    expect([status, json.code]).toEqual([403, 'api.not_permitted']);
    expect(json.details).toEqual({ permission: 'runs.start' });
    expect((await api.send({ path: '/api/v1/keys', as: 'bob' })).status).toBe(403);
  });

  it.each([
    ['/api/v1/runs?limt=3', 'query "limt": is unknown; did you mean "limit"?'],
    ['/api/v1/runs?limit=3&limit=4', 'query "limit": is given twice'],
    ['/api/v1/runs?limit=0', 'query "limit"'],
    ['/api/v1/runs?limit=1e2', 'query "limit": must be a whole number'],
    ['/api/v1/runs?status=odd', 'query "status[0]"'],
    ['/api/v1/runs?cursor=abc', 'query "cursor": is not a cursor that this API gave'],
    ['/api/v1/runs?__proto__=1', 'query "__proto__": is unknown'],
  ])('%s is invalid: %s', async (path, message) => {
    const { status, json } = await (await anApi()).send({ path });
    expect([status, json.code]).toEqual([400, 'api.invalid_request']);
    expect(json.detail).toContain(message);
  });

  it.each([
    [
      { plan: 'steps: []', optimise: true },
      'body "optimise": is unknown; did you mean "optimize"?',
    ],
    ['{"plan":', 'body: is not valid JSON'],
    [`{"plan":${'['.repeat(200)}${']'.repeat(200)}}`, 'body: is nested deeper than 100 levels'],
    ['[]', 'body:'],
    [{}, 'body "plan"'],
  ])('a body %j is invalid: %s', async (body, message) => {
    const { status, json } = await (
      await anApi()
    ).send({ method: 'POST', path: '/api/v1/runs', body });
    expect([status, json.code]).toEqual([400, 'api.invalid_request']);
    expect(json.detail).toContain(message);
  });

  it('suggests names in nested objects, too', async () => {
    const body = { message: 'x', attachments: [{ name: 'a', content: 'b', langauge: 'c' }] };
    const { json } = await (await anApi()).send({ method: 'POST', path: '/api/v1/tasks', body });
    expect(json.detail).toContain(
      '"attachments[0].langauge": is unknown; did you mean "language"?',
    );
  });

  it('to an unknown path or with another method is refused with what there is', async () => {
    const api = await anApi();
    expect((await api.send({ path: '/api/v1/nope' })).json.code).toBe('api.no_such_route');
    const { status, headers, json } = await api.send({ method: 'PUT', path: '/api/v1/runs' });
    expect([status, headers.get('allow'), json.code]).toEqual([
      405,
      'GET, POST',
      'api.method_not_allowed',
    ]);
  });

  it('that is no JSON or too large is refused as a problem', async () => {
    const api = await anApi({ limits: { maxRequestBytes: 1_000 } });
    const ask = { method: 'POST', path: '/api/v1/runs' };
    const text = await api.send({ ...ask, body: 'x', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json.code]).toEqual([415, 'api.unsupported_media_type']);
    const large = await api.send({ ...ask, body: { plan: 'x'.repeat(2_000) } });
    expect([large.status, large.json.code]).toEqual([413, 'api.too_large']);
  });

  it('that meets a bug gets 500 without its message', async () => {
    const ports = await fakePorts();
    const findTools = () => Promise.reject(new Error('secret path'));
    const { status, text } = await (
      await anApi({ ...ports, findTools })
    ).send({
      path: '/api/v1/tools/find?query=x',
    });
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });

  it('is recorded in the audit log, allowed or not', async () => {
    const rows: unknown[][] = [];
    const api = await anApi({
      audit: {
        record: ({ callerId, action, target, isAllowed, face }) =>
          void rows.push([callerId, action, target, isAllowed, face]),
        list: async () => [],
        verify: async () => ({ entries: 0, isIntact: true }),
      },
    });
    await api.send({ path: '/api/v1/runs?limit=1' });
    await api.send({ method: 'POST', path: '/api/v1/runs', body: startBody, as: 'vera' });
    expect(rows).toEqual([
      ['acme/anna', 'runs.read', 'GET /api/v1/runs', true, 'rest'],
      ['acme/vera', 'runs.start', 'POST /api/v1/runs', false, 'rest'],
    ]);
  });
});

describe('an answer', () => {
  it('has an ETag, and is not sent again to a client that has it', async () => {
    const api = await anApi();
    const first = await api.send({ path: '/api/v1/servers' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await api.send({ path: '/api/v1/servers', headers: { 'if-none-match': tag } });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    const other = await api.send({ path: '/api/v1/servers', headers: { 'if-none-match': '"x"' } });
    expect(other.text).toBe(first.text);
  });

  it('of a list has pages that together are the list', async () => {
    const api = await anApi();
    const all = (await api.send({ path: '/api/v1/tools?limit=200' })).json;
    expect(all.nextCursor).toBeNull();
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await api.send({
        path: `/api/v1/tools?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      });
      names.push(...page.json.items.map(({ name }: { name: string }) => name));
      cursor = page.json.nextCursor;
    }
    expect(names).toEqual(all.items.map(({ name }: { name: string }) => name));
  });

  it('of another caller’s run is that of a run that does not exist', async () => {
    const api = await anApi();
    const { json } = await api.send({ method: 'POST', path: '/api/v1/runs', body: startBody });
    const theirs = (id: string) => api.send({ path: `/api/v1/runs/${id}`, as: 'bob' });
    const [foreign, missing] = [await theirs(json.runId), await theirs('run-9')];
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(json.runId, 'run-9')).toBe(missing.text);
    expect((await api.send({ path: `/api/v1/runs/${json.runId}` })).status).toBe(200);
  });

  it('shows tools outside of the caller’s scope as missing', async () => {
    const api = await anApi();
    const { json } = await api.send({ path: '/api/v1/tools', as: 'sam' });
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual(['fake.echo_all']);
    const call = (name: string) =>
      api.send({ method: 'POST', path: `/api/v1/tools/${name}/call`, as: 'sam', body: {} });
    expect((await call('fake.echo_all')).status).toBe(200);
    const [outside, missing] = [await call('fake.open_ended'), await call('fake.open_endex')];
    expect(outside.status).toBe(404);
    expect(outside.text.replaceAll('open_ended', 'open_endex')).toBe(missing.text);
  });

  it('of a tool that failed is a result with its code', async () => {
    const path = '/api/v1/tools/fake.fail_known/call';
    const { status, json } = await (await anApi()).send({ method: 'POST', path, body: {} });
    expect(status).toBe(200);
    expect(json).toMatchObject({ isError: true, error: { code: 'code.syntax_error' } });
  });
});

describe('a POST with an Idempotency-Key', () => {
  const start = { method: 'POST', path: '/api/v1/runs', body: startBody };
  const keyed = { ...start, headers: { 'idempotency-key': 'k1' } };

  it('is carried out once and gets the same answer', async () => {
    const ports = await fakePorts();
    const api = await serveApi(ports);
    const [first, second] = [await api.send(keyed), await api.send(keyed)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(ports.workflows.started).toHaveLength(1);
    expect((await api.send({ ...keyed, as: 'bob' })).json.runId).not.toBe(first.json.runId);
  });

  it('with another body is refused', async () => {
    const api = await anApi();
    await api.send(keyed);
    const { status, json } = await api.send({ ...keyed, body: { ...startBody, input: { a: 1 } } });
    expect([status, json.code]).toEqual([422, 'api.idempotency_key_reused']);
  });

  it('keeps a refusal, too', async () => {
    const api = await anApi();
    const path = '/api/v1/runs/run-9/cancel';
    const ask = { method: 'POST', path, headers: { 'idempotency-key': 'k2' } };
    const [first, second] = [await api.send(ask), await api.send(ask)];
    expect([first.status, second.status, second.text]).toEqual([404, 404, first.text]);
  });

  it('that a dead process left unanswered is repeated only where nothing is done twice', async () => {
    const ports = await fakePorts();
    const api = await serveApi(ports);
    // The same machine, and no process with that pid: as after kill -9.
    const { processStart } = await ownIdentity();
    const dead = { pid: 2 ** 22 + 1, processStart: `${processStart.split('|')[0]}|1` };
    const begin = (key: string, parts: readonly unknown[]) =>
      ports.answers.begin({ id: 'acme/anna' }, { key, digest: digestJson(parts), owner: dead });
    await begin('dead', ['post', '/api/v1/runs', { ...startBody, input: {} }]);
    const repeated = await api.send({ ...start, headers: { 'idempotency-key': 'dead' } });
    expect(repeated.status).toBe(201);
    expect(ports.workflows.started[0]?.idempotencyKey).toMatch(/^api:dead:/);
    const path = '/api/v1/tools/fake.echo_all/call';
    await begin('dead2', ['post', path, { arguments: {} }]);
    const headers = { 'idempotency-key': 'dead2' };
    const once = await api.send({ method: 'POST', path, body: {}, headers });
    expect([once.status, once.json.code]).toEqual([409, 'api.answer_lost']);
  });

  it('has a key of a usable form', async () => {
    const { status } = await (
      await anApi()
    ).send({
      ...start,
      headers: { 'idempotency-key': 'k'.repeat(201) },
    });
    expect(status).toBe(400);
  });

  it('keeps no answer that holds a secret', async () => {
    const key = {
      id: 'key-1',
      name: 'ci',
      prefix: 'tutti_ab',
      callerId: 'acme/ci',
      tenant: 'acme',
      role: 'viewer' as const,
      scopes: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    };
    const made = async () => ({ key, secret: 'tutti_ab_canary' });
    const api = await anApi({
      keys: {
        create: made,
        rotate: made,
        list: async () => [key],
        revoke: async () => key,
        setDisabled: async () => key,
      },
    });
    const ask = {
      method: 'POST',
      path: '/api/v1/keys',
      body: { name: 'ci', role: 'viewer' },
      headers: { 'idempotency-key': 'k3' },
    };
    expect((await api.send(ask)).json.secret).toBe('tutti_ab_canary');
    const again = await api.send(ask);
    expect([again.status, again.json.code]).toEqual([409, 'api.answer_lost']);
  });
});

describe('the bytes of an artifact', () => {
  it('are sent as a whole, in ranges, and not again', async () => {
    const ports = await fakePorts();
    const api = await serveApi(ports);
    const lineage = { runId: 'r', step: 's', tool: null, argumentsDigest: null, inputs: [] };
    const content = 'abcdefghij'.repeat(100);
    const artifact = { content, mediaType: 'text/html', lineage };
    const { id } = await ports.memoryArtifacts.put({ id: 'acme/anna' }, artifact);
    const read = (headers: Record<string, string> = {}, as = 'anna') =>
      api.send({ path: `/api/v1/artifacts/${id}/content`, headers, as });
    const whole = await read();
    expect([whole.status, whole.text]).toEqual([200, content]);
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const parts = ['bytes=0-3', 'bytes=995-', 'bytes=-4', 'bytes=10-5000'];
    const texts = await Promise.all(parts.map(async (range) => (await read({ range })).text));
    expect(texts).toEqual(['abcd', 'fghij', 'ghij', content.slice(10)]);
    expect((await read({ range: 'bytes=0-3' })).headers.get('content-range')).toBe(
      'bytes 0-3/1000',
    );
    expect((await read({ range: 'bytes=5000-' })).json.code).toBe('api.range_not_satisfiable');
    expect((await read({ 'if-none-match': `"${id}"` })).status).toBe(304);
    expect((await read({}, 'bob')).status).toBe(404);
  });
});

describe('the pages', () => {
  it('are there without a token: the document, and a page that runs only our script', async () => {
    const api = await anApi();
    const document = await api.send({ path: '/api/openapi.json', as: '' });
    expect(document.json.openapi).toBe('3.1.0');
    const docs = await api.send({ path: '/api/docs', as: '' });
    expect(docs.text).toContain('/api/v1/runs/{id}/events');
    expect(docs.text.match(/<script[^>]*>/g)).toEqual(['<script src="/api/docs.js" defer>']);
    expect(docs.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    expect((await api.send({ path: '/api/docs.js', as: '' })).text).toContain('addEventListener');
  });
});
