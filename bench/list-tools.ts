import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const bin = new URL('../bin/tutti.js', import.meta.url).pathname;

export interface ListOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Let it live on for so long after its answer, and end by itself; without it, it is killed. */
  readonly stayMs?: number;
}

const clientInfo = { name: 'bench', version: '1' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
export const opening = [
  { id: 1, method: 'initialize', params },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** What an MCP client does first: it starts the server, shakes hands and lists the tools. Returns the answer. */
export async function listTools({ args, cwd, env, stayMs }: ListOptions): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(cwd !== undefined && { cwd }),
    ...(env && { env: { PATH: process.env['PATH'] ?? '', ...env } }),
  });
  const answers = createInterface({ input: child.stdout });
  child.stdin.write(opening);
  for await (const line of answers) {
    const answer = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
    if (answer.id !== 2) continue;
    if (!answer.result?.tools?.length) throw new Error(`no tools: ${line}`);
    if (stayMs === undefined) {
      child.kill('SIGKILL');
      return line;
    }
    const exit = once(child, 'exit');
    await new Promise((resolve) => setTimeout(resolve, stayMs));
    child.stdin.end();
    await exit;
    return line;
  }
  throw new Error('tutti mcp ended before it listed its tools');
}
