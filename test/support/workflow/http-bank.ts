/**
 * An MCP server over HTTP that charges, as badly as the arguments of `charge` say: it answers with any
 * status, late, twice or not at all, before or after the charge is made. `find_charge` looks a charge up,
 * `GET /book` says what happened. Says its port on standard output; ends with its input.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Script {
  /** before: it refuses and charges nothing · after: it charges first · late: it answers and charges then. */
  readonly when: 'before' | 'after' | 'late';
  /** What charging takes. */
  readonly chargeMs?: number;
  readonly answer:
    | { readonly status: number; readonly body?: 'text' | 'error' }
    | { readonly rpc: number }
    | { readonly broken: 'socket' | 'body' | 'events' | 'events-gone' | 'json' | 'type' | 'empty' }
    | { readonly good: 'once' | 'twice' | 'events' };
}

export interface Book {
  readonly charges: readonly { readonly order: unknown }[];
  readonly calls: readonly unknown[];
  readonly underway: number;
}

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly order?: unknown; readonly script?: Script };
  };
}

const book = { charges: [] as { order: unknown }[], calls: [] as unknown[], underway: 0 };
const misbehaved = new Set<unknown>();
const inputSchema = { type: 'object' };
const tools = [
  { name: 'charge', inputSchema },
  { name: 'find_charge', inputSchema },
];

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function charge(
  { id, params }: Incoming,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { order, script } = params?.arguments ?? {};
  book.calls.push(order);
  const make = async (): Promise<void> => {
    await pause(script?.chargeMs ?? 0);
    book.charges.push({ order });
  };
  const good = answerOf(id, { charged: order });
  // Whoever calls a second time is served well: what was repeated shows in the book.
  if (!script || misbehaved.has(order)) {
    await make();
    return json(response, good);
  }
  misbehaved.add(order);
  if (script.when === 'after') await make();
  misbehave(script.answer, { id, good, request, response });
  if (script.when === 'late') await make();
}

interface Exchange {
  readonly id: Incoming['id'];
  readonly good: object;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function misbehave(answer: Script['answer'], exchange: Exchange): void {
  const { id, good, request, response } = exchange;
  if ('status' in answer) {
    const headers = { location: '/mcp', 'retry-after': '0' };
    const error = { jsonrpc: '2.0', id, error: { code: -32_000, message: 'not now' } };
    const isError = answer.body === 'error';
    response
      .writeHead(answer.status, {
        ...headers,
        'content-type': isError ? 'application/json' : 'text/plain',
      })
      .end(isError ? JSON.stringify(error) : 'not now');
  } else if ('rpc' in answer) {
    json(response, { jsonrpc: '2.0', id, error: { code: answer.rpc, message: 'it failed' } });
  } else if ('good' in answer) {
    const event = `data: ${JSON.stringify(good)}\n\n`;
    if (answer.good === 'once') return json(response, good);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answer.good === 'twice' ? event + event : event);
  } else breakOff(answer.broken, request, response);
}

function breakOff(how: string, request: IncomingMessage, response: ServerResponse): void {
  switch (how) {
    case 'socket':
      request.socket.destroy();
      return;
    case 'body':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' });
      response.write('{"jsonrpc"', () => request.socket.destroy());
      return;
    case 'events':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': waiting\n\n', () => request.socket.destroy());
      return;
    case 'events-gone':
      // The stream can be resumed by its own words, and then nobody is there for a while.
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nretry: 10\ndata:\n\n', () => {
        server.close();
        server.closeAllConnections();
        setTimeout(() => server.listen(port, '127.0.0.1'), 700);
      });
      return;
    case 'json':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":');
      return;
    case 'type':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>');
      return;
    default:
      response.writeHead(202).end();
  }
}

function answerOf(id: Incoming['id'], structuredContent: object): object {
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { jsonrpc: '2.0', id, result: { content, structuredContent } };
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/book') return json(response, book);
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const message = JSON.parse(Buffer.concat(chunks).toString()) as Incoming;
  const { id, method, params } = message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'initialize') {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bank', version: '1.0.0' },
    };
    return json(response, { jsonrpc: '2.0', id, result });
  }
  if (method === 'tools/list') return json(response, { jsonrpc: '2.0', id, result: { tools } });
  if (method !== 'tools/call') {
    return json(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } });
  }
  if (params?.name === 'find_charge') {
    const rows = book.charges.filter(({ order }) => order === params.arguments?.order);
    return json(response, answerOf(id, { rows }));
  }
  book.underway += 1;
  try {
    await charge(message, request, response);
  } finally {
    book.underway -= 1;
  }
}

let port = 0;
const server = createServer((request, response) => {
  // Callers die in the middle of their requests.
  handle(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  process.stdout.write(`${port}\n`);
});
process.stdin.resume().on('close', () => process.exit());
