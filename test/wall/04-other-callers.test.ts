import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/contract/caller/index.ts';
import type * as gateway from '../../src/gateway/http/http-gateway.ts';
import type * as http from '../../src/http/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { FixtureServer } from '../../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../../testkit/gateway/memory-client-sessions.ts';
import { isProof } from '../../testkit/sample.ts';
import { importUnderTest, rpcOf, type Answer, type Json } from '../support/wall/a-wall.ts';

/** Two callers on one listener, each known by a token. */
const callers: Readonly<Record<string, Caller>> = {
  'Bearer anna': { id: 'acme/anna', tenant: 'acme' },
  'Bearer bert': { id: 'zeta/bert', tenant: 'zeta' },
};
const server = new FixtureServer();
let listener: http.Listener;
let close: () => void;

beforeAll(async () => {
  const { createMcpRoutes } = await importUnderTest<typeof gateway>('gateway/http/http-gateway.ts');
  const { startListener } = await importUnderTest<typeof http>('http/index.ts');
  const mcp = createMcpRoutes({
    server,
    sessions: sharedSessions(),
    log: silentLog,
    version: '1',
    isAuthenticated: true,
  });
  close = () => mcp.close();
  listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: mcp.routes,
    isAuthenticated: true,
    log: silentLog,
    identify: ({ headers }) => {
      const caller = callers[headers.authorization ?? ''];
      return caller
        ? { kind: 'caller', caller }
        : { kind: 'refused', refusal: { status: 401, message: 'Who is it?' } };
    },
  });
});

afterAll(async () => {
  close();
  await listener.close();
});

interface Post {
  readonly by: string;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
}

function send({ by, body, headers = {}, path = '/mcp', method = 'POST' }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = {
      authorization: `Bearer ${by}`,
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    };
    const { port } = listener;
    const sent = request({ port, host: '127.0.0.1', method, path, headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const end = (): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.on('end', end);
    });
    sent.on('error', reject).end(method === 'POST' ? JSON.stringify(body) : undefined);
  });
}

async function openSession(by: string): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {} };
  const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const { headers } = await send({ by, body });
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('a session', () => {
  it.each(['POST', 'GET', 'DELETE'])(
    'of another caller does not exist for %s (CVE-2026-52869, 33946, 55604, byterover #329)',
    async (method) => {
      const theirs = await openSession('anna');
      const missing = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
      const leaked = await send({ by: 'bert', body: list, method, headers: theirs });
      const guessed = await send({ by: 'bert', body: list, method, headers: missing });
      expect([leaked.status, leaked.text]).toEqual([404, guessed.text]);
      expect(leaked.status).toBe(guessed.status);
      // It was not ended either.
      expect((await send({ by: 'anna', body: list, headers: theirs })).status).toBe(200);
    },
  );

  it('is not chosen when none is named, even if there is only one (byterover #329)', async () => {
    await openSession('anna');
    for (const by of ['anna', 'bert']) {
      expect((await send({ by, body: list })).status).toBe(400);
    }
  });

  it.each(['', ' ', '*', '%', "' or 1=1--", '__proto__', 'constructor', 'null', 'undefined', '0'])(
    'is not found by the id %j',
    async (id) => {
      const { status } = await send({ by: 'bert', body: list, headers: { 'mcp-session-id': id } });
      expect([400, 404]).toContain(status);
    },
  );

  it('has an id that cannot be guessed', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => openSession('anna')));
    const texts = ids.map((id) => id['mcp-session-id'] ?? '');
    expect(new Set(texts).size).toBe(20);
    for (const text of texts) expect(text).toMatch(/^v2\.[\w-]{6}\.[\w-]{80,}$/);
  });

  it('is not cancelled by another caller who uses the same request id (CVE-2026-25536)', async () => {
    const [theirs, mine] = [await openSession('anna'), await openSession('bert')];
    const params = { name: 'steps', arguments: { count: 200 } };
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
    const running = send({ by: 'anna', body, headers: theirs });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    await send({ by: 'bert', body: cancel, headers: mine });
    await send({ by: 'bert', body: cancel, headers: theirs });
    expect(rpcOf(await running)).toMatchObject({ id: 7, result: { content: [{ text: 'done' }] } });
  });
});

it('gives a parked question of one caller to no other (CVE-2026-52870)', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
  };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'ask',
  };
  const call = (by: string, more: Json): Promise<Answer> => {
    const params = { name: 'ask', arguments: asking, _meta: meta, ...more };
    return send({ by, headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
  };
  const asking = { requests: [{ method: 'elicitation/create', params: { message: 'Who?' } }] };
  const { result } = rpcOf(await call('anna', {})) as { result: Json };
  expect(result['resultType']).toBe('input_required');
  const state = { requestState: result['requestState'], inputResponses: {} };
  const leaked = rpcOf(await call('bert', state));
  const guessed = rpcOf(
    await call('bert', { ...state, requestState: `tutti-parked:${'x'.repeat(32)}` }),
  );
  expect(leaked).toHaveProperty('error');
  expect(leaked['error']).toEqual(guessed['error']);
});

const calls = isProof ? 10_000 : 600;

it(`crosses no answer in ${calls} interleaved calls with the same ids (CVE-2026-25536, Asana)`, async () => {
  const sessions = { anna: await openSession('anna'), bert: await openSession('bert') };
  const crossed: string[] = [];
  const one = async (at: number): Promise<void> => {
    const by = at % 2 === 0 ? 'anna' : 'bert';
    const text = `${by} ${at}`;
    const params = { name: 'echo', arguments: { text } };
    const body = { jsonrpc: '2.0', id: at % 5, method: 'tools/call', params };
    const answer = await send({ by, body, headers: sessions[by] });
    if (
      !answer.text.includes(`"${text}"`) ||
      answer.text.includes(by === 'anna' ? 'bert' : 'anna')
    ) {
      crossed.push(answer.text);
    }
  };
  for (let from = 0; from < calls; from += 20) {
    // Ids repeat within a session only after their answers.
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => one(from + offset)));
    await Promise.all([10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((offset) => one(from + offset)));
  }
  expect(crossed).toEqual([]);
  expect(new Set(server.calls.map(({ caller }) => caller.id))).toEqual(
    new Set(['acme/anna', 'zeta/bert']),
  );
});
