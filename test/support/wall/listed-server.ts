/** An MCP server on stdio whose tools are those of a JSON file, read anew at each listing; calls echo their arguments. */
import { readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = ''] = process.argv.slice(2);
const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};

watchFile(file, { interval: 50 }, () => send({ method: 'notifications/tools/list_changed' }));

createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params?: { protocolVersion?: string; arguments?: unknown };
  };
  if (id === undefined) return;
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'listed', version: '1' };
    const instructions = listing()['instructions'] ?? '';
    const protocolVersion = params?.protocolVersion ?? '2025-11-25';
    send({ id, result: { protocolVersion, capabilities, serverInfo, instructions } });
  } else if (method === 'tools/list') send({ id, result: { tools: listing()['tools'] } });
  else if (method === 'tools/call') {
    const { result } = listing();
    const text = JSON.stringify(params?.arguments);
    send({ id, result: result ?? { content: [{ type: 'text', text }] } });
  } else if (method === 'ping') send({ id, result: {} });
  else send({ id, error: { code: -32_601, message: 'Method not found' } });
});
process.stdin.on('end', () => process.exit());

function listing(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
