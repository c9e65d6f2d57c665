import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { OwnedProcess, ProcessOwner } from '../../../src/kernel/index.ts';

/** What `make test` installs from `test/restate/package.json`; undefined where it was not. */
export function findRestateServer(): string | undefined {
  const folder = new URL('../../restate/node_modules/@restatedev/', import.meta.url).pathname;
  const name = `restate-server-${process.platform}-${process.arch}`;
  const path = join(folder, name, 'bin', 'restate-server');
  return existsSync(path) ? path : undefined;
}

export interface RestateServer {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** It signs what it asks workers: the public part, as it writes it. */
  readonly identityKey: string;
  /** At once and without a last word. */
  kill(): Promise<void>;
  /** On the same data and ports as before it was killed. */
  restart(): Promise<void>;
}

const startLimitMs = 30_000;
const lookMs = 50;
const maxOutputLength = 200_000;

/** Starts a server of its own below `folder`: loopback only, free ports, no telemetry. */
export async function startRestateServer(
  owner: ProcessOwner,
  program: string,
  folder: string,
): Promise<RestateServer> {
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const base = join(folder, 'restate');
  mkdirSync(base, { recursive: true });
  const identity = generateKeyPairSync('ed25519');
  const keyFile = join(folder, 'identity.pem');
  writeFileSync(keyFile, identity.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    RESTATE_BASE_DIR: base,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_NODE_NAME: 'test',
    RESTATE_ADVERTISED_HOST: '127.0.0.1',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
    RESTATE_DEFAULT_NUM_PARTITIONS: '2',
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
    RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: keyFile,
  };
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  let output = '';
  let child: OwnedProcess | undefined;
  const start = async (): Promise<void> => {
    child = await owner.start({ command: program, args: ['--no-logo'], env });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = `${output}${chunk.toString()}`.slice(-maxOutputLength);
      });
    }
    await untilAnswers(`${adminUrl}/health`, () => output);
    await untilAnswers(`${ingressUrl}/restate/health`, () => output);
  };
  await start();
  return {
    ingressUrl,
    adminUrl,
    identityKey: /publickeyv1_\w+/.exec(output)?.[0] ?? '',
    kill: async () => {
      if (!child) return;
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    restart: start,
  };
}

async function untilAnswers(url: string, output: () => string): Promise<void> {
  const giveUpAtMs = Date.now() + startLimitMs;
  while (Date.now() < giveUpAtMs) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw new Error(`Restate did not answer at ${url}: ${output()}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
