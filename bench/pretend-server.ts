/** An MCP server with as many tools as its argument says, started by the dozen in benchmarks. */
import { createInterface } from 'node:readline';

const tools = Array.from({ length: Number(process.argv[2] ?? 1) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does what number ${at} of this server does, with a text and a count.`,
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, count: { type: 'integer', minimum: 0 } },
    required: ['text'],
  },
}));

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'pretend', version: '1' },
  },
  'tools/list': { tools },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    if (id === undefined) return;
    const body = Object.hasOwn(answers, method)
      ? { result: answers[method] }
      : { error: { code: -32_601, message: 'unknown method' } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  })
  .on('close', () => process.exit());
