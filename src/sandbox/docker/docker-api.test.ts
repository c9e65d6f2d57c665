import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dockerApi, DockerRequestError } from './docker-api.ts';

async function anEngine(listener: RequestListener): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-api-'));
  const socket = join(folder, 'engine.sock');
  const server = createServer(listener);
  server.on('upgrade', (request, stream) => {
    stream.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nhead');
    request.socket.on('data', (piece) => stream.write(piece));
  });
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return socket;
}

const get = { method: 'GET', path: '/thing' } as const;

describe('the API of an engine', () => {
  it('sends a body and reads the answer', async () => {
    const socket = await anEngine((request, response) => {
      request.pipe(response);
    });
    const request = { method: 'POST', path: '/echo', body: { a: 1 } } as const;
    expect(await dockerApi(socket).call(request)).toEqual({ a: 1 });
  });

  it('reads an empty answer as null', async () => {
    const socket = await anEngine((_request, response) => response.writeHead(204).end());
    expect(await dockerApi(socket).call(get)).toBeNull();
  });

  it('tells what the engine said when it refuses', async () => {
    const socket = await anEngine((_request, response) =>
      response.writeHead(409).end('{"message":"already there"}'),
    );
    const refused = dockerApi(socket).call(get);
    await expect(refused).rejects.toThrow('GET /thing');
    await expect(refused).rejects.toThrow('409 already there');
    await expect(refused).rejects.toMatchObject({ code: 'sandbox.docker_request_failed' });
  });

  it('tells of a refusal that is no JSON, and when there is no engine', async () => {
    const socket = await anEngine((_request, response) => response.writeHead(500).end('broken'));
    await expect(dockerApi(socket).call(get)).rejects.toThrow('500 broken');
    await expect(dockerApi('/nonexistent.sock').call(get)).rejects.toThrow(DockerRequestError);
  });

  it('gives up an answer that does not end', async () => {
    const socket = await anEngine((_request, response) => {
      const write = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', write);
      write();
    });
    await expect(dockerApi(socket).call(get)).rejects.toThrow('longer than');
  });

  it('stops waiting when it is told to, with that reason', async () => {
    const socket = await anEngine(() => {});
    const stop = new AbortController();
    const waiting = dockerApi(socket).call({ ...get, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(dockerApi(socket).call({ ...get, signal: stop.signal })).rejects.toThrow('enough');
  });

  it('hands over a connection, with what came before', async () => {
    const socket = await anEngine(() => {});
    const stream = await dockerApi(socket).connect({ ...get, method: 'POST' });
    stream.write(' and tail');
    let seen = '';
    for await (const piece of stream) {
      seen += String(piece);
      if (seen.length >= 13) break;
    }
    expect(seen).toBe('head and tail');
  });
});
