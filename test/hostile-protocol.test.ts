import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpPeer, statelessBody, type HttpAsk } from '../testkit/gateway/http-peer.ts';
import type { Json } from '../testkit/gateway/stdio-peer.ts';
import {
  call,
  hostileMessages as inputs,
  invalidParams,
  invalidRequest,
  parseError,
  type Hostile,
} from './support/hostile-messages.ts';

const batchSize = 25;
const batches = Array.from({ length: Math.ceil(inputs.length / batchSize) }, (_, batch) => ({
  batch,
  part: inputs.slice(batch * batchSize, (batch + 1) * batchSize),
}));

/** A message may ask for no answer at all once its `id` is damaged; `silent` stands for that. */
function verdictOf(answer: Json | undefined): number | 'result' | 'silent' {
  if (!answer) return 'silent';
  const error = answer['error'] as { code: number } | undefined;
  return error?.code ?? 'result';
}

function unexpected(input: Hostile, answer: Json | undefined): string[] {
  const verdict = verdictOf(answer);
  const isMutation = input.name.startsWith('mutation');
  if (verdict === 'silent' ? isMutation : input.expected.includes(verdict)) return [];
  return [`${input.name}: ${JSON.stringify(answer)?.slice(0, 200)}`];
}

it('is tried with at least 200 inputs', () => {
  expect(inputs.length).toBeGreaterThan(200);
  expect(new Set(inputs.map((input) => input.text.toString('latin1'))).size).toBeGreaterThan(200);
});

describe('over a pipe', () => {
  let child: ChildProcessWithoutNullStreams;
  let received: Json[] = [];
  let rest = '';

  beforeAll(() => {
    child = spawn(process.execPath, ['testkit/gateway/stdio-fixture.ts']);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      received.push(...lines.map((line) => JSON.parse(line) as Json));
    });
  });

  afterAll(() => void child.kill());

  /** Says it and returns what was answered until a ping, sent after the answer to another, came back. */
  async function say(text: string | Buffer): Promise<Json[]> {
    received = [];
    child.stdin.write(text);
    await ping('first');
    await ping('second');
    return received.filter(({ id }) => id !== 'first' && id !== 'second');
  }

  async function ping(id: string): Promise<void> {
    child.stdin.write(`\n{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
    while (!received.some((answer) => answer['id'] === id)) await once(child.stdout, 'data');
  }

  it.each(batches)(
    'answers batch $batch of hostile lines and a ping after each',
    async ({ part }) => {
      const problems: string[] = [];
      for (const input of part) {
        const answers = await say(input.text);
        problems.push(...unexpected(input, answers[0]));
        if (answers.length > 1) problems.push(`${input.name}: ${answers.length} answers`);
      }
      expect(problems).toEqual([]);
    },
  );

  it('survives a line of 50 MB, and says what was wrong with it', async () => {
    const answers = await say(Buffer.alloc(50 * 1024 * 1024, 'x'));
    expect(answers).toMatchObject([{ id: null, error: { code: invalidRequest } }]);
  });

  it('survives 10,000 lines of rubbish at once', async () => {
    expect(await say(`rubbish\n`.repeat(10_000).trimEnd())).toHaveLength(10_000);
  });

  it('survives 1,000 requests with one id', async () => {
    const answers = await say(
      `${call({ name: 'steps', arguments: { count: 1 } }, 7)}\n`.repeat(1_000),
    );
    expect(answers.length).toBeGreaterThan(0);
  });

  it('ends when the stream is cut in the middle of a message', async () => {
    const cut = spawn(process.execPath, ['testkit/gateway/stdio-fixture.ts']);
    cut.stdin.end('{"jsonrpc":"2.0","id":1,"met');
    const [[answer], [code]] = await Promise.all([once(cut.stdout, 'data'), once(cut, 'exit')]);
    expect(JSON.parse(String(answer))).toMatchObject({ id: null, error: { code: parseError } });
    expect(code).toBe(0);
  });
});

describe('over HTTP', () => {
  let peer: HttpPeer;
  let session: Record<string, string>;

  beforeAll(async () => {
    peer = await HttpPeer.start({ limits: { headersTimeoutMs: 300, checkEveryMs: 50 } });
    session = await peer.session();
  });

  afterAll(() => peer.stop());

  async function expectAlive(): Promise<void> {
    const ping = { jsonrpc: '2.0', id: 'after', method: 'ping' };
    expect((await peer.post(ping, session)).json).toEqual({
      jsonrpc: '2.0',
      id: 'after',
      result: {},
    });
  }

  it.each(batches)('answers batch $batch of hostile bodies, then a ping', async ({ part }) => {
    const problems: string[] = [];
    for (const input of part) {
      // Stateless requests need headers, so the version is refused as a mismatch here.
      const isVersion = input.name.startsWith('version') && !input.expected.includes(invalidParams);
      const expected = isVersion ? [-32_020] : input.expected;
      const { status, json } = await peer.post(input.text, session);
      const answer = status === 202 ? undefined : json;
      problems.push(...unexpected({ ...input, expected }, answer));
      if (status >= 500) problems.push(`${input.name}: ${status}`);
    }
    expect(problems).toEqual([]);
    await expectAlive();
  });

  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const type = { 'content-type': 'application/json' };
  const stateless = {
    ...type,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  };
  const echo = JSON.stringify(statelessBody('tools/call', { name: 'echo' }));
  const hostileHeaders: readonly [name: string, ask: HttpAsk, status: number][] = [
    ['no content type', { body: ping }, 415],
    ['an empty content type', { body: ping, headers: { 'content-type': '' } }, 415],
    ['text/plain', { body: ping, headers: { 'content-type': 'text/plain' } }, 415],
    ['a form', { body: 'a=1', headers: { 'content-type': 'multipart/form-data' } }, 415],
    ['almost JSON', { body: ping, headers: { 'content-type': 'application/json5' } }, 415],
    [
      'two content types',
      { body: ping, headers: { 'content-type': 'text/plain, application/json' } },
      415,
    ],
    [
      'UTF-16',
      { body: ping, headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
    ],
    ['an accept of images', { body: ping, headers: { ...type, accept: 'image/png' } }, 406],
    ['no session', { body: ping, headers: type }, 400],
    ['an empty session', { body: ping, headers: { ...type, 'mcp-session-id': '' } }, 404],
    [
      'another session',
      { body: ping, headers: { ...type, 'mcp-session-id': 'x'.repeat(5_000) } },
      404,
    ],
    [
      'a session named __proto__',
      { body: ping, headers: { ...type, 'mcp-session-id': '__proto__' } },
      404,
    ],
    ['an unknown version', { body: ping, headers: { ...type, 'mcp-protocol-version': '0' } }, 400],
    ['PUT', { method: 'PUT', body: ping, headers: type }, 405],
    ['PATCH', { method: 'PATCH', body: ping, headers: type }, 405],
    ['TRACE', { method: 'TRACE', headers: type }, 405],
    ['GET without a session', { method: 'GET' }, 400],
    ['DELETE without a session', { method: 'DELETE' }, 400],
    ['a path that climbs', { method: 'GET', path: '/../../etc/passwd' }, 404],
    ['a path that is encoded', { method: 'GET', path: '/%2e%2e/mcp' }, 404],
    ['a path with a NUL', { method: 'GET', path: '/mcp%00' }, 404],
    ['a path in other case', { method: 'GET', path: '/MCP' }, 404],
    ['a long path', { method: 'GET', path: `/${'a'.repeat(10_000)}` }, 404],
    ['an absolute address', { method: 'GET', path: 'http://evil.example/mcp' }, 400],
    ['no message stream', { path: '/messages', body: ping, headers: type }, 404],
    [
      'a stream named __proto__',
      { path: '/messages?sessionId=__proto__', body: ping, headers: type },
      404,
    ],
    ['another host', { body: ping, headers: { ...type, host: 'evil.example' } }, 403],
    ['another origin', { body: ping, headers: { ...type, origin: 'https://evil.example' } }, 403],
    ['a host with a path', { body: ping, headers: { ...type, host: 'localhost/evil' } }, 403],
    [
      'stateless without a method',
      { body: echo, headers: { ...stateless, 'mcp-method': '' } },
      400,
    ],
    [
      'stateless with another method',
      { body: echo, headers: { ...stateless, 'mcp-method': 'ping' } },
      400,
    ],
    [
      'stateless with another name',
      { body: echo, headers: { ...stateless, 'mcp-name': 'sum' } },
      400,
    ],
    [
      'stateless with two names',
      { body: echo, headers: { ...stateless, 'mcp-name': ['echo', 'sum'] } },
      400,
    ],
    [
      'stateless with bad Base64',
      { body: echo, headers: { ...stateless, 'mcp-name': '=?base64?e!?=' } },
      400,
    ],
    [
      'stateless with another version',
      { body: echo, headers: { ...stateless, 'mcp-protocol-version': '2025-11-25' } },
      400,
    ],
    ['stateless, and right', { body: echo, headers: stateless }, 200],
    ['too many headers', { body: echo, headers: { ...stateless, ...manyHeaders(90) } }, 200],
    ['headers that are too long', { method: 'GET', headers: { a: 'x'.repeat(20_000) } }, 431],
  ];

  it.each(hostileHeaders)('answers %s as it should', async (_name, ask, status) => {
    expect((await peer.send(ask)).status).toBe(status);
    await expectAlive();
  });

  it.each([
    [
      'a header injected by a line break',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n',
      '400',
    ],
    [
      'two lengths',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      '400',
    ],
    [
      'length and chunks',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'a negative length',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
      '400',
    ],
    [
      'a length that is no number',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1e9\r\n\r\n',
      '400',
    ],
    ['two hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n', '400'],
    ['no HTTP at all', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', '400'],
    ['headers that never end', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', '408'],
    [
      '50 MB announced',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 52428800\r\n\r\n',
      '413',
    ],
  ])('answers %s and lives on', async (_name, text, status) => {
    expect(await rawAnswer(peer.gateway.port, text)).toContain(` ${status} `);
    await expectAlive();
  });

  it('refuses 50 MB that are sent, with 413, and lives on', async () => {
    const answer = await peer.post(Buffer.alloc(50 * 1024 * 1024, 'x'), session);
    expect(answer).toMatchObject({ status: 413, json: { error: { code: invalidRequest } } });
    await expectAlive();
  });

  it('forgets clients that hang up in the middle of a request', async () => {
    const text =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"js';
    await Promise.all(Array.from({ length: 50 }, () => hangUp(peer.gateway.port, text)));
    expect((await peer.send({ method: 'GET', path: '/health' })).status).toBe(200);
  });

  it('leaves no trace on objects', () => {
    expect(({} as Json)['polluted']).toBeUndefined();
  });
});

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'v']));
}

/** What a server says to these bytes before it hangs up or the answer is there. */
function rawAnswer(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(''));
  });
}

async function hangUp(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  socket.destroy();
}
