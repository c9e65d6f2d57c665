import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isRunning } from '../../src/kernel/index.ts';
import type { DockerOptions } from '../../src/sandbox/docker/index.ts';
import { findProgram } from '../../src/sandbox/bubblewrap/host-facts.ts';
import { createDockerDriver } from '../../src/sandbox/docker/index.ts';
import { dockerApi } from '../../src/sandbox/docker/docker-api.ts';
import type { SandboxDriver } from '../../src/sandbox/driver.ts';

/** A container engine of the tests' own, with the image that `scripts/docker-test-image.sh` makes. */
export interface TestDocker {
  readonly socket: string;
  readonly image: string;
  aDockerDriver(options?: Partial<DockerOptions>): SandboxDriver;
  /** Pid namespaces of the containers that sandboxes run in. */
  sandboxNamespaces(): Promise<Set<string>>;
  /** Ends the engine with all its containers and removes what it wrote. */
  stop(): Promise<void>;
}

export type DockerHere =
  | { readonly kind: 'ready'; readonly docker: TestDocker }
  /** Why tests of the docker driver cannot run on this machine. */
  | { readonly kind: 'skipped'; readonly reason: string };

const image = 'tutti-sandbox-test';
const imageFile = fileURLToPath(new URL('../.cache/docker-test-image.tar', import.meta.url));
/** Followed by the number of the process that owns the engine. */
/** Short, as all names of its folder: a socket's path has 107 bytes at most, and temporary folders lie in others. */
const folderPrefix = 'docker-';
const startLimitMs = 60_000;
const stopLimitMs = 20_000;

/** Starts an engine for the tests of one file. What started must be stopped; it also ends with us. */
export async function startDocker(): Promise<DockerHere> {
  const dockerd = findProgram('dockerd');
  const setpriv = findProgram('setpriv');
  if (process.getuid?.() !== 0) return skipped('a container engine needs root');
  if (!dockerd || !setpriv) return skipped('dockerd is missing: install docker.io');
  const hasImage = await stat(imageFile).catch(() => null);
  if (!hasImage) return skipped('its image is missing: run scripts/docker-test-image.sh');
  await removeLeftEngines();
  // vfs works on every file system, and copies the image for every container.
  for (const storage of ['overlay2', 'vfs']) {
    const engine = await startEngine([setpriv, dockerd], storage);
    if (engine) return { kind: 'ready', docker: engine };
  }
  return skipped('dockerd could not be started here');
}

function skipped(reason: string): DockerHere {
  return { kind: 'skipped', reason };
}

/** Undefined when it ends or does not work with this storage. */
async function startEngine(
  [setpriv, dockerd]: readonly [string, string],
  storage: string,
): Promise<TestDocker | undefined> {
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  const socket = join(folder, 'docker.sock');
  const log = openSync(join(folder, 'log'), 'w');
  const daemon = spawn(
    setpriv,
    [
      ...'--pdeathsig TERM --'.split(' '),
      dockerd,
      ...'--bridge=none --iptables=false --ip6tables=false'.split(' '),
      `--storage-driver=${storage}`,
      `--data-root=${join(folder, 'data')}`,
      `--exec-root=${join(folder, 'x')}`,
      `--pidfile=${join(folder, 'pid')}`,
      `--host=unix://${socket}`,
    ],
    { stdio: ['ignore', log, log], detached: true },
  );
  const stop = (): Promise<void> => stopEngine(daemon, folder);
  try {
    await untilAnswering(daemon, socket);
    await importImage(socket);
    return testDocker(socket, stop);
  } catch (error) {
    const said = await readFile(join(folder, 'log'), 'utf8');
    process.stderr.write(`dockerd with ${storage}: ${String(error)}\n${said.slice(-1500)}\n`);
    await stop();
    return undefined;
  }
}

function testDocker(socket: string, stop: () => Promise<void>): TestDocker {
  return {
    socket,
    image,
    aDockerDriver: (options = {}) => createDockerDriver({ env: {}, socket, image, ...options }),
    sandboxNamespaces: () => namespacesOfContainers(socket),
    stop,
  };
}

async function untilAnswering(daemon: ChildProcess, socket: string): Promise<void> {
  const deadline = Date.now() + startLimitMs;
  while (Date.now() < deadline) {
    if (daemon.exitCode !== null) throw new Error(`it ended with ${daemon.exitCode}`);
    const isUp = await dockerApi(socket)
      .call({ method: 'GET', path: '/version' })
      .then(() => true)
      .catch(() => false);
    if (isUp) return;
    await sleep(50);
  }
  throw new Error(`it did not answer within ${startLimitMs} ms`);
}

async function importImage(socketPath: string): Promise<void> {
  const path = `/images/create?fromSrc=-&repo=${image}&tag=latest`;
  const sent = request({ socketPath, method: 'POST', path, headers: { host: 'docker' } });
  const [[answer]] = await Promise.all([
    once(sent, 'response'),
    pipeline(createReadStream(imageFile), sent),
  ]);
  let said = '';
  for await (const piece of answer) said += String(piece);
  if (answer.statusCode !== 200 || said.includes('"error"')) throw new Error(`import: ${said}`);
}

const listed = z.array(z.looseObject({ Id: z.string() }));
const inspected = z.looseObject({ State: z.looseObject({ Pid: z.number() }) });

async function namespacesOfContainers(socket: string): Promise<Set<string>> {
  const api = dockerApi(socket);
  const containers = listed.parse(await api.call({ method: 'GET', path: '/containers/json' }));
  const namespaces = new Set<string>();
  for (const { Id: id } of containers) {
    const answer = await api
      .call({ method: 'GET', path: `/containers/${id}/json` })
      .catch(() => null);
    const container = inspected.safeParse(answer);
    if (container.success) namespaces.add(namespaceOf(container.data.State.Pid));
  }
  namespaces.delete('');
  return namespaces;
}

function namespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return '';
  }
}

async function stopEngine(daemon: ChildProcess, folder: string): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const exited = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    const isDown = await Promise.race([exited.then(() => true), sleep(stopLimitMs, false)]);
    if (!isDown && daemon.pid !== undefined) {
      // With containerd, which is in its group.
      process.kill(-daemon.pid, 'SIGKILL');
      await exited;
    }
  }
  await removeEngine(folder);
}

/** An engine whose test process was killed is told to end by the kernel; its files stay. */
async function removeLeftEngines(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(folderPrefix) ? parseInt(name.slice(folderPrefix.length), 10) : 0;
    if (owner > 0 && !isRunning(owner)) await removeEngine(join(tmpdir(), name));
  }
}

/** Ends what is left of an engine, also after it was killed itself, and removes its files. */
async function removeEngine(folder: string): Promise<void> {
  for (const pid of processesNaming(`${folder}/`)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  const umount = findProgram('umount') ?? 'umount';
  for (const mount of mountsBelow(folder)) {
    await once(spawn(umount, ['--lazy', mount], { stdio: 'ignore' }), 'exit');
  }
  await rm(folder, { recursive: true, force: true });
}

function processesNaming(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((place) => place.startsWith(`${folder}/`))
    .toReversed();
}
