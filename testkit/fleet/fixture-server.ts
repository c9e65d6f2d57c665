/**
 * A small MCP server of the handshake era on standard input and output, started as a program by
 * tests. Environment: `STARTS` names a file that gets a line per start, `BEHAVIOUR` is one of
 * `dies` (ends at once), `mute` (never answers) or nothing. Tools: `echo`, `pid`, `crash`,
 * `crash_reading` (ends without an answer, the first time only when `CRASH_MARK` names a file).
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { STARTS, BEHAVIOUR, CRASH_MARK } = process.env;
if (STARTS !== undefined) appendFileSync(STARTS, `${process.pid}\n`);
process.stderr.write('fixture is up\n');
if (BEHAVIOUR === 'dies') {
  process.stderr.write('cannot find my database\n');
  process.exit(3);
}

interface Incoming {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

const empty = { type: 'object' };
const tools = [
  { name: 'pid', inputSchema: empty, annotations: { readOnlyHint: true } },
  { name: 'echo', inputSchema: empty },
  { name: 'crash', inputSchema: empty },
  { name: 'crash_reading', inputSchema: empty, annotations: { readOnlyHint: true } },
];

function answer(id: number | undefined, body: object): void {
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}

function text(value: string): object {
  return { result: { content: [{ type: 'text', text: value }] } };
}

function call({ id, params }: Incoming): void {
  const name = params?.name;
  if (name === 'pid') return answer(id, text(String(process.pid)));
  if (name === 'echo') return answer(id, text(JSON.stringify(params?.arguments ?? {})));
  if (name === 'crash_reading' && CRASH_MARK !== undefined) {
    if (existsSync(CRASH_MARK)) return answer(id, text('survived'));
    writeFileSync(CRASH_MARK, '');
  }
  process.stderr.write('I was told to crash\n');
  process.exit(1);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (BEHAVIOUR === 'mute') return;
  // What the fleet sends is well formed; that it is so is tested elsewhere.
  const message = JSON.parse(line) as Incoming;
  switch (message.method) {
    case 'initialize':
      return answer(message.id, {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'fixture', version: '7' },
          instructions: 'Use it for tests.',
        },
      });
    case 'tools/list':
      return answer(message.id, { result: { tools } });
    case 'tools/call':
      return call(message);
    case 'ping':
      return answer(message.id, { result: {} });
    default:
      return answer(message.id, { error: { code: -32_601, message: 'Method not found' } });
  }
});
process.stdin.on('end', () => process.exit(0));
