import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../kernel/index.ts';
import { respondJson, startListener, type Listener, type Route } from './index.ts';

const route = (path: string, text: string): Route => ({
  path,
  methods: ['GET', 'POST'],
  access: 'open',
  handle: ({ response }) => {
    respondJson(response, { status: 200, text });
    return undefined;
  },
});

const largeBytes = 64 * 1024 * 1024;

async function aListener(readerStallMs = 60_000): Promise<Listener> {
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: [route('/x', '{}'), route('/large', `"${'a'.repeat(largeBytes)}"`)],
    identify: () => ({ kind: 'caller', caller: { id: 'anna' } }),
    isAuthenticated: false,
    allowedOrigins: ['https://app.example'],
    limits: { readerStallMs },
    log: silentLog,
  });
  onTestFinished(() => listener.close());
  return listener;
}

/** What the listener answers to these bytes, headers included; empty when it closes without an answer. */
async function say(port: number, ...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return text;
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
const host = 'Host: 127.0.0.1';

it.each([
  ['two Host headers', ['GET /x HTTP/1.1', host, 'Host: evil.example']],
  ['two Authorization headers', ['GET /x HTTP/1.1', host, 'Authorization: a', 'authorization: b']],
  ['two Origin headers', ['GET /x HTTP/1.1', host, 'Origin: a', 'Origin: b']],
  ['two session headers', ['GET /x HTTP/1.1', host, 'Mcp-Session-Id: a', 'MCP-SESSION-ID: b']],
  ['two Mcp-Method headers', ['GET /x HTTP/1.1', host, 'Mcp-Method: a', 'mcp-method: a']],
  ['two Content-Type headers', ['GET /x HTTP/1.1', host, 'Content-Type: a', 'content-type: b']],
  ['two lengths', ['POST /x HTTP/1.1', host, 'Content-Length: 0', 'Content-Length: 5']],
  ['a list of lengths', ['POST /x HTTP/1.1', host, 'Content-Length: 0, 5']],
  ['a signed length', ['POST /x HTTP/1.1', host, 'Content-Length: +5']],
  [
    'length and chunks',
    ['POST /x HTTP/1.1', host, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  ],
  ['an encoding after chunks', ['POST /x HTTP/1.1', host, 'Transfer-Encoding: chunked, identity']],
  ['an unknown encoding', ['POST /x HTTP/1.1', host, 'Transfer-Encoding: xchunked']],
  [
    'two encodings',
    ['POST /x HTTP/1.1', host, 'Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
  ],
  ['a space before the colon', ['GET /x HTTP/1.1', 'Host : 127.0.0.1']],
  ['a folded header', ['GET /x HTTP/1.1', host, 'X: a', ' b']],
  ['a NUL in a header', ['GET /x HTTP/1.1', host, 'X: a\0b']],
  ['an absolute target', ['GET http://evil.example/x HTTP/1.1', host]],
  ['an absolute target of its own', ['GET http://127.0.0.1/x HTTP/1.1', host]],
  ['a target that begins with two slashes', ['GET //evil.example/x HTTP/1.1', host]],
  ['a target with a backslash', ['GET /\\evil.example/x HTTP/1.1', host]],
  ['a target with a fragment', ['GET /x#y HTTP/1.1', host]],
  ['no Host', ['GET /x HTTP/1.1']],
])('refuses %s', async (_what, lines) => {
  const { port } = await aListener();
  expect(statusOf(await say(port, ...lines, 'Connection: close'))).toBe(400);
});

it.each([
  'evil.example',
  '127.0.0.1@evil.example',
  '127.0.0.1#',
  '127.0.0.1/x',
  'localhost%2f',
  '',
])('refuses the Host %j', async (name) => {
  const { port } = await aListener();
  const answer = await say(port, 'GET /x HTTP/1.1', `Host: ${name}`, 'Connection: close');
  expect(statusOf(answer)).toBe(403);
});

it.each([
  ['POST', 'cross-site', '', 403],
  ['POST', 'same-site', '', 403],
  ['GET', 'cross-site', 'Sec-Fetch-Mode: no-cors', 403],
  ['GET', 'cross-site', 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe', 403],
  ['POST', 'cross-site', 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document', 403],
  ['POST', 'cross-site', 'Origin: http://localhost:3000', 403],
  ['POST', 'invented', '', 403],
  ['GET', 'cross-site', 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document', 200],
  ['POST', 'same-origin', 'Origin: http://127.0.0.1', 200],
  ['GET', 'none', 'Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document', 200],
  ['POST', 'cross-site', 'Origin: https://app.example', 200],
])('answers a %s of a browser from %s with %j by %d', async (method, site, more, status) => {
  const { port } = await aListener();
  const extra = more === '' ? [] : [more];
  const lines = [`${method} /x HTTP/1.1`, host, `Sec-Fetch-Site: ${site}`, ...extra];
  const answer = await say(port, ...lines, 'Content-Length: 0', 'Connection: close');
  expect(statusOf(answer)).toBe(status);
});

it.each(['/x', '/nope', '//x'])('sends security headers with every response: %s', async (path) => {
  const { port } = await aListener();
  const answer = await say(port, `GET ${path} HTTP/1.1`, host, 'Connection: close');
  for (const header of [
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy: same-origin',
    'referrer-policy: no-referrer',
    'cache-control: no-store',
  ]) {
    expect(answer).toContain(`${header}\r\n`);
  }
});

it('does not upgrade a connection', async () => {
  const { port } = await aListener();
  const lines = ['GET /x HTTP/1.1', host, 'Connection: Upgrade, close', 'Upgrade: websocket'];
  expect(statusOf(await say(port, ...lines, 'Sec-WebSocket-Key: a'))).toBe(200);
  expect(await say(port, 'CONNECT evil.example:80 HTTP/1.1', 'Host: evil.example:80')).toBe('');
});

it('disconnects a client that leaves its response unread', async () => {
  const { port } = await aListener(200);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET /large HTTP/1.1\r\n${host}\r\n\r\n`);
  let bytes = 0;
  // Reads a little, then stops.
  socket.once('data', (chunk: Buffer) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.on('data', (later: Buffer) => (bytes += later.length)).resume(), 1_500);
  });
  await once(socket, 'close');
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(largeBytes);
});
