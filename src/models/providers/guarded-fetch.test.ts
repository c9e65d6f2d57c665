import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRequest } from './guarded-fetch.ts';
import { PlainHeaders } from './plain-headers.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function aServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a request', () => {
  it('arrives as it was given, and its response as it was sent', async () => {
    const url = await aServer((request, response) => {
      const { method, headers } = request;
      void text(request).then((body) => {
        const said = { method, body, 'x-a': headers['x-a'] };
        response.writeHead(201, { 'x-b': 'c' }).end(JSON.stringify(said));
      });
    });
    const sent = { method: 'POST', headers: { 'x-a': 'b' }, body: 'höllo' };
    const { status, headers, body } = await sendRequest(url, sent);
    expect({ status, 'x-b': headers['x-b'] }).toEqual({ status: 201, 'x-b': 'c' });
    expect(JSON.parse(await text(body))).toEqual({ method: 'POST', body: 'höllo', 'x-a': 'b' });
  });

  it('uses the connection of the one before', async () => {
    const ports = new Set<number | undefined>();
    const url = await aServer(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end('x');
    });
    for (let count = 0; count < 3; count += 1) {
      await text((await sendRequest(url, { method: 'GET', headers: {} })).body);
    }
    expect(ports.size).toBe(1);
  });

  it('follows no redirect', async () => {
    const url = await aServer((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { status, body } = await sendRequest(url, { method: 'GET', headers: {} });
    body.destroy();
    expect(status).toBe(302);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read although the response is packed with %s, unasked', async (encoding, pack) => {
    const url = await aServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('hello'));
    });
    expect(await text((await sendRequest(url, { method: 'GET', headers: {} })).body)).toBe('hello');
  });
});

describe('a request that is cancelled', () => {
  it('before it is sent is not sent', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const sending = sendRequest('http://127.0.0.1:1/', { method: 'GET', headers: {}, signal });
    await expect(sending).rejects.toBe(reason);
  });

  it('in the middle of its response ends the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await aServer(({ socket }, response) => {
      closed = once(socket, 'close');
      response.write('begun');
    });
    const cancel = new AbortController();
    const request = { method: 'GET', headers: {}, signal: cancel.signal };
    const { body } = await sendRequest(url, request);
    const reading = text(body);
    cancel.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('aborted');
    await closed;
  });
});

it('has headers that behave as those of the platform', () => {
  const given = { 'Content-Type': 'text/plain', 'X-A': 'b' };
  const [ours, platform] = [new PlainHeaders(given), new Headers(given)];
  for (const headers of [ours, platform]) {
    headers.set('x-a', 'c');
    headers.set('X-B', 'd');
    headers.delete('X-b');
  }
  expect([...ours]).toEqual([...platform]);
  expect(new PlainHeaders(ours).get('CONTENT-TYPE')).toBe('text/plain');
  expect([ours.get('gone'), ours.has('X-A')]).toEqual([null, true]);
  const seen: string[] = [];
  ours.forEach((value, name) => seen.push(`${name}=${value}`));
  expect(seen).toEqual(['content-type=text/plain', 'x-a=c']);
});
