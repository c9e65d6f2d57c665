/** Redis, PostgreSQL and Restate as child processes on loopback, each with an empty folder, ended with us. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Durability } from './contender.ts';

export interface Service {
  readonly port: number;
  readonly pid: number;
  close(): Promise<void>;
}

const startLimitMs = 30_000;

export async function startRedis(folder: string, durability: Durability): Promise<Service> {
  const port = await freePort();
  const fsync = durability === 'full' ? 'always' : 'everysec';
  const options = [
    `--port ${port} --bind 127.0.0.1 --dir ${folder} --appendonly yes --appendfsync ${fsync}`,
    '--maxmemory-policy noeviction',
  ];
  const words = options.flatMap((line) => line.split(' '));
  const child = start('redis-server', [...words, '--save', '']);
  return started(child, port, 'SIGKILL');
}

export async function startPostgres(folder: string, durability: Durability): Promise<Service> {
  const port = await freePort();
  const bin = postgresPrograms();
  const data = join(folder, 'data');
  mkdirSync(data);
  const asUser = postgresUser(folder, data);
  const init = spawnSync(
    ...withUser(asUser, [join(bin, 'initdb'), '-D', data, '-A', 'trust', '-U', 'postgres']),
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stderr}`);
  const [command, args] = withUser(asUser, [
    join(bin, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    '-c',
    `synchronous_commit=${durability === 'full' ? 'on' : 'off'}`,
  ]);
  return started(start(command, args, folder), port, 'SIGQUIT');
}

/** The server's own defaults for durability: it has no switch that compares with the others'. */
export async function startRestate(
  folder: string,
): Promise<Service & { readonly adminPort: number }> {
  const [port, adminPort, nodePort] = await Promise.all([freePort(), freePort(), freePort()]);
  const program = join(import.meta.dirname, 'node_modules', '.bin', 'restate-server');
  const child = spawn(program, ['--no-logo', '--base-dir', folder], {
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
    env: {
      ...process.env,
      DO_NOT_TRACK: '1',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${port}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
      RESTATE_LOG_FILTER: 'error',
    },
  });
  endWithUs(child);
  const service = await started(child, port, 'SIGKILL');
  await untilListening(adminPort);
  return { ...service, adminPort };
}

function start(command: string, args: readonly string[], cwd?: string): ChildProcess {
  const child = spawn(command, [...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    ...(cwd !== undefined && { cwd }),
  });
  endWithUs(child);
  return child;
}

function endWithUs(child: ChildProcess): void {
  process.on('exit', () => endGroup(child, 'SIGKILL'));
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}

async function started(
  child: ChildProcess,
  port: number,
  signal: NodeJS.Signals,
): Promise<Service> {
  await untilListening(port);
  return {
    port,
    pid: child.pid ?? 0,
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      endGroup(child, signal);
      await Promise.race([ended, pause(5_000)]);
      endGroup(child, 'SIGKILL');
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const giveUpAt = performance.now() + startLimitMs;
  while (performance.now() < giveUpAt) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () =>
        resolve(false),
      );
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(50);
  }
  throw new Error(`Nothing listened on port ${port} within ${startLimitMs} ms`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port');
  return address.port;
}

function postgresPrograms(): string {
  const root = '/usr/lib/postgresql';
  const [version] = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  if (version === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return join(root, version, 'bin');
}

/** PostgreSQL refuses to run as root. */
function postgresUser(...folders: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  for (const folder of folders) chownSync(folder, uid ?? 0, gid ?? 0);
  for (const folder of folders) chmodSync(folder, 0o700);
  return 'postgres';
}

function withUser(
  user: string | undefined,
  [command = '', ...args]: readonly string[],
): [string, string[]] {
  if (user === undefined) return [command, args];
  return ['setpriv', [`--reuid=${user}`, `--regid=${user}`, '--init-groups', command, ...args]];
}
