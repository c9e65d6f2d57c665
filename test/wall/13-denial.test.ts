import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import type * as globs from '../../src/fleet/catalogue/matches-glob.ts';
import { aWall, importUnderTest, rpcOf } from '../support/wall/a-wall.ts';

const wall = aWall({
  settings: { server: { max_request_bytes: 200_000, min_protocol_version: '2025-06-18' } },
});

const deep = `${'['.repeat(1_000)}${']'.repeat(1_000)}`;

async function expectAlive(): Promise<void> {
  expect((await wall.http({ path: '/health' })).status).toBe(200);
  expect(wall.isAlive).toBe(true);
}

it.each([
  ['a large body', 'a'.repeat(200_001), 413],
  ['a deep body', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 400],
  ['a deep object', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400],
  ['a deep argument', `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":${deep}}}`, 400],
  ['no JSON (CVE-2025-53365)', '{"jsonrpc":"2.0"', 400],
  ['a validation error (CVE-2025-53366)', '{"jsonrpc":"2.0","id":1,"method":5}', 400],
  ['bytes that are no text', '\uFFFE\u0000', 400],
  ['a number out of range', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', 400],
  ['an empty batch', '[]', 400],
])('answers %s and goes on', async (_what, body, status) => {
  const answer = await wall.http({ method: 'POST', path: '/mcp', body });
  expect(answer.status).toBe(status);
  await expectAlive();
});

it.each([
  ['many headers', Array.from({ length: 2_000 }, (_, at) => `X-${at}: 1`), [431, 0]],
  ['a long header', [`X: ${'a'.repeat(70_000)}`], [431, 0]],
  ['a long target', [], [404, 414, 431, 0]],
])('answers %s and goes on', async (what, lines, statuses) => {
  const path = what === 'a long target' ? `/${'a'.repeat(60_000)}` : '/metrics';
  const head = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...lines, 'Connection: close'];
  expect(statuses).toContain((await wall.raw(...head)).status);
  await expectAlive();
});

it('serves others while many connections stay silent or send slowly', async () => {
  const sockets = Array.from({ length: 300 }, (_, at) => {
    const socket = connect(wall.port, '127.0.0.1').on('error', () => undefined);
    if (at % 2 === 0) socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le');
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await expectAlive();
  expect(rpcOf(await wall.stateless('tools/list'))).toHaveProperty('result');
  for (const socket of sockets) socket.destroy();
});

it.each(['{a}'.repeat(30), '{a}-{b}-{c}-{d}-{e}-{f}', '{+a}{?b,c,d}{&e}', '{a*}{b*}{c*}{d*}'])(
  'matches the URI template %s in linear time (CVE-2026-0621)',
  async (template) => {
    const { fitsTemplate } = await importUnderTest<typeof globs>('fleet/catalogue/matches-glob.ts');
    const startedAt = performance.now();
    fitsTemplate(`x://${template}!`, `x://${'-'.repeat(5_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(500);
  },
);

it.each(['(a+)+$', '(a|a)*$', '([a-z]+)*!', '(.*a){25}'])(
  'ends a search for the expression %s, and serves others meanwhile',
  async (query) => {
    const args = { query, regex: true };
    const call = { name: 'workspace__search_text', arguments: args };
    expect((await wall.stateless('tools/call', call)).status).toBe(200);
    await expectAlive();
  },
);

it.each(['2024-11-05', '2025-03-26'])(
  'refuses a client that speaks %s, older than the policy',
  async (version) => {
    const params = { protocolVersion: version, capabilities: {} };
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const answer = await wall.http({ method: 'POST', path: '/mcp', body });
    expect(rpcOf(answer)).toMatchObject({
      error: {
        code: -32_602,
        data: { requested: version, supported: expect.any(Array) as unknown },
      },
    });
    expect(answer.text).toContain('requires 2025-06-18 or later');
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  },
);
