import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../kernel/index.ts';
import { openUpstream } from './open-upstream.ts';
import type { Connection } from './supervise/connection.ts';
import { anEntry } from '../../testkit/fleet/a-fleet.ts';

/** Answers as a server of the handshake era does; undefined for what needs no answer. */
function answerTo(text: string): string | undefined {
  const { id, method } = JSON.parse(text) as { id?: number; method: string };
  if (id === undefined) return undefined;
  const result = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    serverInfo: { name: 'web', version: '3' },
  };
  const error = { code: -32_601, message: 'Method not found' };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    ...(method === 'initialize' ? { result } : { error }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

async function listening(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Speaks Streamable HTTP. */
function aNewerServer(): Promise<string> {
  return listening(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const answer = answerTo(await bodyOf(request));
    response.writeHead(answer === undefined ? 202 : 200, { 'content-type': 'application/json' });
    response.end(answer);
  });
}

/** Speaks HTTP with one event stream, and refuses to be posted to elsewhere. */
function anOlderServer(): Promise<string> {
  let stream: ServerResponse | undefined;
  return listening(async (request, response) => {
    if (request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    if (request.url !== '/messages') {
      response.writeHead(405).end();
      return;
    }
    const answer = answerTo(await bodyOf(request));
    response.writeHead(202).end();
    if (answer !== undefined) stream?.write(`event: message\ndata: ${answer}\n\n`);
  });
}

function open(
  url: string,
  settings: Readonly<Record<string, unknown>> = {},
  knownProtocolVersion?: string,
): Promise<Connection> {
  return openUpstream(
    {
      entry: anEntry('web', { command: undefined, url, ...settings }),
      caller: { id: 'local' },
      signal: new AbortController().signal,
      knownProtocolVersion,
      onStderr: () => {},
    },
    {
      launch: { transport: settings['type'] === 'sse' ? 'sse' : 'http', url, headers: {} },
      owner: () => {
        throw new Error('no program is started for an address');
      },
      clientInfo: { name: 'test', version: '1' },
      log: silentLog,
    },
  );
}

it.each([
  ['Streamable HTTP', aNewerServer, {}],
  ['the older way, when its entry says so', anOlderServer, { type: 'sse' }],
  ['the older way, when the server refuses the newer one', anOlderServer, {}],
])('speaks %s', async (_how, serve, settings) => {
  const connection = await open(await serve(), settings);
  expect([connection.version, connection.protocolVersion]).toEqual(['3', '2025-06-18']);
  await connection.close();
});

it('asks a server in the era it spoke before', async () => {
  const connection = await open(await aNewerServer(), {}, '2025-06-18');
  expect(connection.protocolVersion).toBe('2025-06-18');
  await connection.close();
});

it('reports the first refusal of a server that speaks neither way', async () => {
  const url = await listening(async (_request, response) => {
    response.writeHead(404).end('nothing here');
  });
  await expect(open(url)).rejects.toThrow('404');
  await expect(open(url, { type: 'http' })).rejects.toThrow('404');
});
