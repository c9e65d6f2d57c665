import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bin, listTools } from './list-tools.ts';
import { compare, type Comparison } from './measure.ts';

const rounds = 15;

export const emptyNode = (): void => void spawnSync(process.execPath, ['-e', '0']);

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
    const [ours, base] = await compare(() => list(home), emptyNode, rounds);
    return { name: 'tutti mcp → tools/list', floor: 'node -e 0', limit: 5, unit: 'ms', ours, base };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function list(home: string): Promise<void> {
  await listTools({ args: ['--home', home, 'mcp'] });
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
