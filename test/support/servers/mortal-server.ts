/**
 * An MCP server on standard input and output that dies when told to: `mortal-server.ts`. Its
 * tool `echo` gives its arguments back; with `dieAt` it ends, by kill -9, at that point of the call.
 * Beside it runs a helper process of its own, which it forgets, as servers with browsers do.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly arguments?: { readonly dieAt?: string; readonly delayMs?: number };
  };
}

spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });

const die = (): void => void process.kill(process.pid, 'SIGKILL');

function send(id: Incoming['id'], result: object, until?: number): void {
  writeSync(1, `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`.slice(0, until));
}

function call({ id, params }: Incoming): void {
  const given = params?.arguments ?? {};
  const result = { content: [{ type: 'text', text: JSON.stringify(given) }] };
  if (given.dieAt === 'received') die();
  if (given.dieAt === 'half answered') send(id, result, 20);
  else send(id, result);
  if (given.dieAt !== undefined) die();
}

function handle(message: Incoming): void {
  const { id, method, params } = message;
  if (id === undefined) return;
  if (method === 'initialize') {
    send(id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'mortal', version: '1.0.0' },
    });
  } else if (method === 'tools/list') {
    const tool = { name: 'echo', description: 'Gives back its arguments' };
    send(id, { tools: [{ ...tool, inputSchema: { type: 'object' } }] });
  } else if (method === 'tools/call') {
    setTimeout(() => call(message), params?.arguments?.delayMs ?? 0);
  } else send(id, {});
}

createInterface({ input: process.stdin })
  .on('line', (line) => handle(JSON.parse(line)))
  .on('close', () => process.exit());
