import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aPeer, statelessBody } from '../testkit/gateway/http-peer.ts';
import { aFolder, startTutti } from './support/run-tutti.ts';

/** What a connection may send that is no request. */
const silences = {
  nothing: '',
  'half a header': 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-T',
  'half a body':
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"jsonrpc"',
  'half of the second request': 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea',
};

async function open(port: number, text: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

async function openMany(count: number, port: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () =>
      open(port, text),
    );
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

async function startServing(): Promise<number> {
  const child = startTutti(['serve', '--port', '0'], { cwd: aFolder() });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(/:(\d+)/.exec(chunk.toString())?.[1]);
}

it.each(Object.entries(silences))(
  'serves whoever comes while 2,500 connections send %s',
  async (_, text) => {
    const port = await startServing();
    await openMany(2_500, port, text);
    for (let round = 0; round < 5; round += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/health`, {
        signal: AbortSignal.timeout(5_000),
        headers: { connection: 'close' },
      });
      expect(response.status).toBe(200);
    }
  },
);

it('drops no connection that waits for its answer, however many silent ones come', async () => {
  const limits = { maxConnections: 10, maxConnectionsPerAddress: 8 };
  const peer = await aPeer({ limits });
  const { port } = peer.gateway;
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const call = JSON.stringify(statelessBody('tools/call', { name: 'wait' }));
  let hasEnded = false;
  const waiting = fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    body: call,
    signal: stop.signal,
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'wait',
    },
  });
  waiting.catch(() => {}).finally(() => (hasEnded = true));
  await openMany(50, port, '');
  expect((await peer.send({ method: 'GET', path: '/health' })).status).toBe(200);
  expect(hasEnded).toBe(false);
});

it('lets the silent connections of one address crowd out none of another', async () => {
  const limits = { maxConnections: 20, maxConnectionsPerAddress: 10 };
  const peer = await aPeer({ limits });
  const { port } = peer.gateway;
  const quiet = await open(port, '', '127.0.0.2');
  const crowd = await openMany(60, port, '');
  const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;
  for (const socket of [quiet, ...crowd]) socket.resume();
  await vi.waitFor(() => expect(crowd.filter(isOpen).length).toBe(10));
  expect(isOpen(quiet)).toBe(true);
  expect(crowd.slice(-10).every(isOpen)).toBe(true);
});
