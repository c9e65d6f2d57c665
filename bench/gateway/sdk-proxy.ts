/** A proxy as one would write it with the official SDK: its client behind its server. `node sdk-proxy.ts stdio|http TARGET`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/server';

const [, , transport, target = ''] = process.argv;
const client = new Client({ name: 'sdk-proxy', version: '1.0.0' });
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: process.execPath, args: [target] }),
);

function createProxy(): Server {
  const server = new Server(
    { name: 'sdk-proxy', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler('tools/list', (request) => client.listTools(request.params));
  server.setRequestHandler('tools/call', (request) => client.callTool(request.params));
  return server;
}

const face = new NodeStreamableHTTPServerTransport({
  sessionIdGenerator: () => 'the-session',
  enableJsonResponse: true,
});
await createProxy().connect(face);
const http = createServer((request, response) => void face.handleRequest(request, response));
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `listening on http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`,
  );
});
