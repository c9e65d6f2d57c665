import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ask } from './load.ts';

export interface Running {
  readonly port: number;
  readonly pid: number;
  /** Of the user at this machine; the bare handlers take any. */
  readonly token: string;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');
/** The limits are not what is measured. */
const unlimited = 1_000_000;
const maxStreams = 20_000;

/** Settings of both: one upstream server over stdio whose tool does nothing. */
function settings(changes: object): object {
  const upstream = join(root, 'bench', 'gateway', 'upstream.ts');
  const rate_limit = {
    per_second: unlimited,
    burst: unlimited,
    address_per_second: unlimited,
    address_burst: unlimited,
    max_in_flight: maxStreams,
  };
  return {
    mcpServers: { upstream: { command: process.execPath, args: [upstream] } },
    models: { autodetect: false },
    server: {
      rate_limit,
      max_connections: maxStreams,
      max_connections_per_address: maxStreams,
    },
    ...changes,
  };
}

/** `tutti serve` as it is shipped. */
export async function startTutti(changes: object = {}): Promise<Running> {
  const folder = configFolder(changes);
  const program = join(root, 'bin', 'tutti.js');
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    cwd: folder,
    env: { ...env, TUTTI_HOME: join(folder, 'ours') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await firstLine(child);
  const token = readFileSync(join(folder, 'ours', 'serve-token'), 'utf8').trim();
  return running(child, { port: Number(/:(\d+)/.exec(line)?.[1]), token, folder });
}

export async function startBare(): Promise<Running> {
  const folder = configFolder({});
  const program = join(import.meta.dirname, 'serve-bare.ts');
  const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  return running(child, { port: Number(await firstLine(child)), token: 'anna', folder });
}

function configFolder(changes: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-api-'));
  mkdirSync(join(folder, 'tutti'));
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify(settings(changes)));
  return folder;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('It was started with a pipe');
  const [line] = await once(createInterface(stdout), 'line');
  return String(line);
}

function running(
  child: ChildProcess,
  { port, token, folder }: { port: number; token: string; folder: string },
): Running {
  const close = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, token, pid: child.pid ?? 0, close };
}

/** The secrets of keys, one for a caller of each tenant. */
export async function makeKeys({ port, token }: Running, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const body = { name: `key-${number}`, tenant: `tenant-${number}`, role: 'developer' };
    const { secret } = await ask(port, { method: 'POST', path: '/api/v1/keys', token, body });
    made.push(String(secret));
  }
  return made;
}
