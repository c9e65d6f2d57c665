import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** A PostgreSQL of the tests' own, on a unix socket in its folder. It ends with the process that started it. */
export interface PostgresServer {
  /** The address of a database of it. */
  url(database: string): string;
  /** Ends it as a power cut would, with all connections. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
}

const root = '/usr/lib/postgresql';
const startLimitMs = 30_000;

/** Why it cannot be started on this machine; null where it can. */
export function postgresMissing(): string | null {
  if (findPrograms() === undefined) return 'PostgreSQL is missing: install postgresql';
  if (process.getuid?.() === 0 && idOf('-u') === undefined) return 'there is no user postgres';
  return null;
}

/** `folder`: an existing one in which it makes its own; its path must be short, because the socket is in it. */
export async function startPostgresServer(folder: string): Promise<PostgresServer> {
  const bin = findPrograms();
  if (bin === undefined) throw new Error(postgresMissing() ?? '');
  const data = join(folder, 'pg');
  mkdirSync(data, { mode: 0o700 });
  const asOwner = ownerOf(data);
  const init = asOwner(join(bin, 'initdb'), [
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  const made = spawnSync(init.command, init.args, { cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const options = [
    'listen_addresses=',
    'max_connections=200',
    'shared_buffers=64MB',
    'fsync=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
    'autovacuum=off',
  ];
  const program = asOwner(join(bin, 'postgres'), [
    '-D',
    data,
    '-k',
    data,
    ...options.flatMap((it) => ['-c', it]),
  ]);
  const url = (database: string): string =>
    `postgres://postgres@localhost/${database}?host=${encodeURIComponent(data)}`;

  let running: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    // SIGQUIT ends all its processes at once.
    const args = ['--pdeathsig=QUIT', program.command, ...program.args];
    running = spawn('setpriv', args, { cwd: data, stdio: 'ignore' });
    running.unref();
    await untilAnswering(url('postgres'));
  };
  await start();
  return {
    url,
    start,
    async kill() {
      const ended = new Promise((resolve) => running?.once('exit', resolve));
      running?.kill('SIGQUIT');
      await ended;
    },
  };
}

export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function untilAnswering(url: string): Promise<void> {
  const giveUpAtMs = performance.now() + startLimitMs;
  for (;;) {
    try {
      return await withClient(url, async (client) => void (await client.query('SELECT 1')));
    } catch (error) {
      if (performance.now() >= giveUpAtMs) throw error;
      await pause(50);
    }
  }
}

/** The newest one that Debian has installed. */
function findPrograms(): string | undefined {
  const versions = existsSync(root) ? readdirSync(root) : [];
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  const bin = newest === undefined ? undefined : join(root, newest, 'bin');
  return bin !== undefined && existsSync(join(bin, 'initdb')) ? bin : undefined;
}

/** PostgreSQL refuses to run as root. */
function ownerOf(
  folder: string,
): (command: string, args: readonly string[]) => { command: string; args: string[] } {
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  if (process.getuid?.() !== 0 || uid === undefined || gid === undefined) {
    return (command, args) => ({ command, args: [...args] });
  }
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return (command, args) => ({
    command: 'setpriv',
    args: [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--init-groups',
      '--pdeathsig=QUIT',
      command,
      ...args,
    ],
  });
}

function idOf(flag: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
