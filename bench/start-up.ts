import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compare, type Comparison } from './measure.ts';

const bin = 'bin/tutti.js';
const rounds = 15;

const emptyNode = (): void => void spawnSync(process.execPath, ['-e', '0']);

export async function measureHelp(): Promise<Comparison> {
  const help = (): void => {
    const run = spawnSync(process.execPath, [bin, '--help']);
    if (run.status !== 0) throw new Error(`tutti --help ended with ${run.status}`);
  };
  const [ours, base] = await compare(help, emptyNode, rounds);
  return { name: 'tutti --help', floor: 'node -e 0', limit: 2.5, unit: 'ms', ours, base };
}

export async function measureFirstList(): Promise<Comparison> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  try {
    const [ours, base] = await compare(() => listTools(home), emptyNode, rounds);
    return { name: 'tutti mcp → tools/list', floor: 'node -e 0', limit: 5, unit: 'ms', ours, base };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What an MCP client does first: it starts the server, shakes hands and lists the tools. */
async function listTools(home: string): Promise<void> {
  const child = spawn(process.execPath, [bin, '--home', home, 'mcp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  for await (const line of answers) {
    const answer = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
    if (answer.id !== 2) continue;
    if (!answer.result?.tools?.length) throw new Error(`no tools: ${line}`);
    break;
  }
  child.kill('SIGKILL');
}

const settleMs = 3_000;

/** Resident memory of a server that was asked for its tools once and then left alone. */
export async function measureIdleMemory(): Promise<Comparison> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  const child = spawn(process.execPath, [bin, '--home', home, 'serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout });
    const first = String((await lines[Symbol.asyncIterator]().next()).value);
    const url = /http:\S+/.exec(first)?.[0] ?? '';
    const ready = await fetch(`${url}/ready`);
    if (!ready.ok) throw new Error(`not ready: ${ready.status}`);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const ours = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    return { name: 'idle tutti serve', floor: '–', limit: 120, unit: 'MB', ours, base: 1 };
  } finally {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  }
}
