import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnUpstream {
  readonly url: string;
  /** Everything it was sent: request line, headers and bodies. */
  readonly received: string[];
  close(): void;
}

interface Incoming {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: object };
}

const schema = { type: 'object' };
const reading = { readOnlyHint: true };

/** An MCP server over HTTP (2025-11-25) with a tool, a resource and a prompt, that keeps what it receives. */
export async function anUpstream(name: string): Promise<AnUpstream> {
  const received: string[] = [];
  const results: Readonly<
    Record<string, (params: NonNullable<Incoming['params']>) => object | undefined>
  > = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name, version: '1' },
      instructions: `Instructions of ${name}`,
    }),
    ping: () => ({}),
    'tools/list': () => ({
      tools: [
        { name: 'echo', description: `Echoes ${name}`, inputSchema: schema, annotations: reading },
      ],
    }),
    'tools/call': (params) => ({
      content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }],
    }),
    'resources/list': () => ({ resources: [{ uri: `${name}://one`, name: 'one' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) =>
      uri === `${name}://one` ? { contents: [{ uri, text: `content of ${name}` }] } : undefined,
    'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
    'prompts/get': () => ({
      messages: [{ role: 'user', content: { type: 'text', text: `greetings of ${name}` } }],
    }),
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(`${request.url} ${request.rawHeaders.join(' ')} ${body}`);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      // The fleet sends well-formed requests.
      const { id, method, params = {} } = JSON.parse(body) as Incoming;
      if (id === undefined) return void response.writeHead(202).end();
      const result = results[method]?.(params);
      const error = results[method]
        ? { code: -32_002, message: 'Resource not found' }
        : { code: -32_601, message: 'Method not found' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
