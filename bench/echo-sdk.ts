/** The MCP SDK's own server with the same trivial tool. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { echoInput, echoOutput } from './echo-tool.ts';

function buildServer(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Returns its text.', inputSchema: echoInput, outputSchema: echoOutput },
    async (input) => ({
      content: [{ type: 'text', text: JSON.stringify(input) }],
      structuredContent: input,
    }),
  );
  return server;
}

if (process.argv.includes('--http')) {
  const handler = toNodeHandler(createMcpHandler(buildServer));
  const http = createServer((request, response) => {
    // The SDK types its request without `undefined`; a node:http request is what it expects.
    void handler(request as Parameters<typeof handler>[0], response);
  });
  http.listen(0, '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`),
  );
} else {
  serveStdio(buildServer);
}
