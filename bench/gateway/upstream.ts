/**
 * The server behind every contender: as little as MCP needs, on raw JSON, so that what is measured is
 * the way to it. `node upstream.ts` speaks on standard input and output, `node upstream.ts http` listens
 * and prints its address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Incoming {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

const largeText = 'All work and no play makes for a payload of sixty-four kilobytes. '
  .repeat(1_000)
  .slice(0, 65_536);
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tools = [
  { name: 'small', description: 'Gives back a short text', inputSchema: schema },
  { name: 'large', description: 'Gives back 64 kB of text', inputSchema: schema },
];

function resultOf({ method, params }: Incoming): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'upstream', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: params?.name === 'large' ? largeText : 'hello' }] };
    default:
      return {};
  }
}

const known = ['initialize', 'tools/list', 'tools/call', 'ping'];

function answer(message: Incoming): string | undefined {
  const { id } = message;
  if (id === undefined) return undefined;
  if (known.includes(message.method)) {
    return JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(message) });
  }
  const error = { code: -32_601, message: 'Method not found' };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function serveStdio(): void {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const answers = lines.map((line) => answer(JSON.parse(line) as Incoming));
    const text = answers.filter((it) => it !== undefined).join('\n');
    if (text !== '') process.stdout.write(`${text}\n`);
  });
  process.stdin.on('end', () => process.exit(0));
}

function serveHttp(): void {
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const text = answer(JSON.parse(Buffer.concat(parts).toString()) as Incoming);
      if (text === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
  });
  http.keepAliveTimeout = 60_000;
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
  });
}

if (process.argv[2] === 'http') serveHttp();
else serveStdio();
