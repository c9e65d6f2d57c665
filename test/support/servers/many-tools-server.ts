/**
 * An MCP server on standard input and output with as many tools as it is told to have, of services as people
 * connect them: `many-tools-server.ts COUNT`. A call says which tool was called with what.
 */
import { createInterface } from 'node:readline';
import { generateTools } from '../generated-tools.ts';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: object };
}

const tools = generateTools(Number(process.argv[2])).map(({ tool, wireName }) => ({
  ...tool,
  name: wireName,
}));

function answer({ method, params }: Incoming): object {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'many-tools', version: '1.0.0' },
    };
  }
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(params) }] };
  return {};
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line) as Incoming;
    if (message.id === undefined) return;
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) });
    process.stdout.write(`${text}\n`);
  })
  .on('close', () => process.exit());
