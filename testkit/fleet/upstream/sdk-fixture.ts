import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';

const anything = fromJsonSchema<Record<string, unknown>>({ type: 'object' });

/** A server made with the official SDK: what others write, not what we think they write. */
export function createSdkServer(): McpServer {
  const server = new McpServer(
    { name: 'sdk-fixture', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.registerTool('echo', { inputSchema: anything }, async (args) => ({
    content: [{ type: 'text', text: 'echo' }],
    structuredContent: args,
  }));
  server.registerTool('count', { inputSchema: anything }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? '';
    for (let progress = 1; progress <= 100; progress += 1) {
      const params = { progressToken, progress, total: 100 };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return { content: [] };
  });
  server.registerTool('hang', { inputSchema: anything }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? '';
    const params = { progressToken, progress: 1 };
    await mcpReq.notify({ method: 'notifications/progress', params });
    await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve()));
    process.stderr.write('hang was cancelled\n');
    return { content: [] };
  });
  server.registerTool('ask', { inputSchema: anything }, async (_args, { mcpReq }) => {
    const answer = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'who');
    if (answer) return { content: [{ type: 'text', text: `Hello ${answer.name}` }] };
    const properties = { name: { type: 'string' } } as const;
    const form = {
      message: 'Who are you?',
      requestedSchema: { type: 'object', properties },
    } as const;
    return inputRequired({ inputRequests: { who: inputRequired.elicit(form) } });
  });
  return server;
}
