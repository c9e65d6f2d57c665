import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Things of the host that a program inside must not reach, laid out for the length of a probe. */
export interface HostCanary {
  /** Targets for the canary inside. */
  readonly asked: AskedOfIsolation;
  /** Name and value of a variable in our own environment. */
  readonly planted: { readonly name: string; readonly value: string };
  readonly hostname: string;
  readonly machineId: string | null;
  /** Names of our namespaces by kind; empty where the system has none. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Connections that our listeners received. */
  connections(): number;
  remove(): Promise<void>;
}

export interface AskedOfIsolation {
  readonly tcpPort: number;
  readonly abstractSocket: string | null;
  readonly files: readonly { readonly path: string; readonly inode: number }[];
  readonly hostPid: number;
  /** When our process started, by the kernel's count; tells it from another of the same number. */
  readonly hostPidStartedAt: string | null;
}

export async function plantHostCanary(): Promise<HostCanary> {
  const planted = { name: `TUTTI_CANARY_${randomUUID().replaceAll('-', '')}`, value: randomUUID() };
  let connections = 0;
  const onConnection = (): void => {
    connections += 1;
  };
  const tcp = await listen({ host: '127.0.0.1', port: 0 }, onConnection);
  const abstractName = process.platform === 'linux' ? `tutti-canary-${randomUUID()}` : null;
  const unix =
    abstractName === null ? null : await listen({ path: `\0${abstractName}` }, onConnection);
  const folder = await mkdtemp(join(tmpdir(), 'tutti-canary-'));
  // World-readable: a file mode must not be what keeps the program out.
  await chmod(folder, 0o755);
  const file = join(folder, 'canary.txt');
  await writeFile(file, planted.value, { mode: 0o644 });
  process.env[planted.name] = planted.value;
  return {
    asked: {
      tcpPort: portOf(tcp),
      abstractSocket: abstractName,
      files: knownFiles([file, homedir(), '/etc/shadow', '/root', '/home', '/var/log', '/boot']),
      hostPid: process.pid,
      hostPidStartedAt: startTimeOf(process.pid),
    },
    planted,
    hostname: hostname(),
    machineId: readText('/etc/machine-id'),
    namespaces: ownNamespaces(),
    connections: () => connections,
    async remove() {
      // oxlint-disable-next-line typescript/no-dynamic-delete -- an environment has no other way
      delete process.env[planted.name];
      tcp.close();
      unix?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listen(
  where: { readonly host: string; readonly port: number } | { readonly path: string },
  onConnection: () => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      onConnection();
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(where, () => resolve(server.unref()));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Those that exist here, with the number that tells whether the program sees the same one. */
function knownFiles(paths: readonly string[]): { path: string; inode: number }[] {
  return [...new Set(paths)].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? [{ path, inode: found.ino }] : [];
  });
}

function ownNamespaces(): Record<string, string> {
  const names: Record<string, string> = {};
  for (const kind of ['user', 'pid', 'net', 'uts', 'ipc', 'mnt']) {
    const name = readLink(`/proc/self/ns/${kind}`);
    if (name !== null) names[kind] = name;
  }
  return names;
}

function startTimeOf(pid: number): string | null {
  // The name in parentheses may hold spaces; the 22nd field of the line is the 20th after it.
  const afterName = readText(`/proc/${pid}/stat`)?.split(') ').at(-1);
  return afterName?.split(' ')[19] ?? null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
