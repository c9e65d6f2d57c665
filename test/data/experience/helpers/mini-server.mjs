// An MCP server with tools that misbehave.
import { createInterface } from 'node:readline';

const schema = { type: 'object', properties: {} };
const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};
const tools = [
  { name: 'add', inputSchema: numbers },
  ...['crash', 'crash_once', 'abort', 'hang'].map((name) => ({ name, inputSchema: schema })),
];

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'mini', version: '1.0.0' };
    return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list') return answer({ tools });
  if (method !== 'tools/call') return answer({});
  if (params.name.startsWith('crash')) process.exit(1);
  if (params.name === 'abort') process.abort();
  if (params.name === 'hang') return;
  if (typeof params.arguments?.b !== 'number' || typeof params.arguments.a !== 'number') {
    const error = { code: -32602, message: 'Invalid arguments for tool add: a and b must be numbers' };
    return console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
  answer({ content: [{ type: 'text', text: String(params.arguments.a + params.arguments.b) }] });
});
