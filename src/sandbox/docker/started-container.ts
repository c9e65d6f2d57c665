import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectRequest } from '../../contract/sandbox/index.ts';
import type { ProcessExit } from '../../kernel/index.ts';
import { BootOutput, type OutputListener, workFolder } from '../boot/boot.ts';
import type { InnerFolders } from '../bubblewrap/inner-folders.ts';
import { type Collected, collectWritten } from '../collect/collect-files.ts';
import { readTar } from '../collect/read-tar.ts';
import type { SandboxJob } from '../driver.ts';
import { nothing, type WaitingSandbox } from '../supervise-run.ts';
import { ContainerExec } from './container-exec.ts';
import type { ContainerResources } from './container-resources.ts';
import { programUser } from './container-spec.ts';
import { type DockerApi, DockerRequestError } from './docker-api.ts';

/** How often a container that is being removed is asked for. */
const removalPausesMs = [0, 10, 20, 50, 100, 200, 500, 1_000, 2_000];

/** How long output may stay open after the end of the program. */
const leftRunningMs = 100;

export const driverName = 'docker';

interface ContainerParts {
  readonly api: DockerApi;
  readonly id: string;
  /** Its end is the end of the container. */
  readonly holder: Socket;
}

/** What a shell reports for SIGKILL. */
const killedExit = 137;

/** Killed before it was ready, as by a machine short of memory: nothing is known against another try. */
export class KilledAtStartError extends Error {}

/** A container from its creation to its removal, and the one program in it. */
export class StartedContainer implements WaitingSandbox {
  readonly driver = driverName;
  readonly #parts: ContainerParts;
  #exec: ContainerExec | undefined;
  #resources: ContainerResources | undefined;
  /** Where the container is on this machine and open to us. */
  #folders: InnerFolders | undefined;
  readonly #output = new BootOutput();
  #isHeld = true;
  #isKilled = false;

  constructor(parts: ContainerParts) {
    this.#parts = parts;
    parts.holder.once('close', () => (this.#isHeld = false));
    // Nothing comes from it; unread, its end would never be seen.
    parts.holder.resume();
  }

  get id(): string {
    return this.#parts.id;
  }

  get isRunning(): boolean {
    return this.#isHeld && this.#exec?.isRunning === true;
  }

  get exited(): Promise<ProcessExit> {
    return this.#running.exited;
  }

  get resources(): ContainerResources {
    if (!this.#resources) throw new Error('the container is not watched yet');
    return this.#resources;
  }

  /** Starts the boot and waits for its ready mark. Rejects with what it wrote instead. */
  async boot(start: (listener: OutputListener) => Promise<ContainerExec>): Promise<void> {
    const exec = await start((stream, bytes) => this.#output.add(stream, bytes));
    this.#exec = exec;
    const onEnd = ({ exitCode }: ProcessExit): void => {
      const reason = `${this.#output.complaint} (exit code ${exitCode})`.trim();
      const isKilled = exitCode === killedExit;
      this.#output.fail(isKilled ? new KilledAtStartError(reason) : new Error(reason));
    };
    exec.exited.then(onEnd, (error: Error) => this.#output.fail(error));
    await this.#output.ready;
  }

  watchBy(resources: ContainerResources, folders: InnerFolders | undefined): void {
    this.#resources = resources;
    this.#folders = folders;
  }

  onOutput(listener: OutputListener): void {
    this.#output.onOutput = listener;
  }

  send(parts: readonly Uint8Array[]): void {
    this.#running.send(parts);
  }

  /** What the program left running may hold its output open, so it is killed where that costs no file. */
  async drained(maxMs: number): Promise<void> {
    if (await this.#running.drained(leftRunningMs)) return;
    if (this.#folders !== undefined) this.kill();
    await this.#running.drained(maxMs);
  }

  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    // At once where we may; the engine is asked all the same.
    this.#resources?.kill();
    this.#parts.holder.destroy();
    const path = `/containers/${this.id}/kill?signal=KILL`;
    this.#parts.api
      .call({ method: 'POST', path })
      // It has ended by itself, or the engine is gone: `release` sees to the rest.
      .catch(() => {})
      .finally(() => this.#exec?.expectEnd());
  }

  isDiskFull(): boolean {
    return this.#folders?.isFull() === true;
  }

  async wasDiskFilled({ exitCode }: ProcessExit): Promise<boolean> {
    if (this.#folders !== undefined || exitCode === 0 || this.#isKilled) {
      return this.isDiskFull();
    }
    const { isDiskFull } = await examineFromInside(this.#parts.api, this.id, null);
    return isDiskFull;
  }

  /** What the program left running is killed first: it could change the files meanwhile. */
  async collect(job: SandboxJob): Promise<Collected> {
    const folder = this.#folders?.work;
    if (folder === undefined) return await this.#collectFromInside(job.collect);
    this.kill();
    return collectWritten(folder, job);
  }

  /** Removes the container with everything in it. Never throws. */
  async release(): Promise<void> {
    this.kill();
    const folders = this.#folders;
    this.#folders = undefined;
    await Promise.all([folders?.close(), removeContainer(this.#parts.api, this.id)]);
    this.#exec?.close();
  }

  async #collectFromInside(request: SandboxJob['collect']): Promise<Collected> {
    if (request === null) return nothing;
    if (this.#isKilled) return notReachable;
    return (await examineFromInside(this.#parts.api, this.id, request)).collected;
  }

  get #running(): ContainerExec {
    if (!this.#exec) throw new Error('nothing was started in the container yet');
    return this.#exec;
  }
}

const notReachable: Collected = {
  files: [],
  observations: [
    {
      kind: 'file_not_collected',
      message: 'no file was collected: they went with the container when it was killed',
    },
  ],
};

/** True when it is gone. The engine may be removing it already: then that is waited for. */
export async function removeContainer(api: DockerApi, id: string): Promise<boolean> {
  for (const pauseMs of removalPausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    try {
      await api.call({ method: 'DELETE', path: `/containers/${id}?force=true&v=true` });
      return true;
    } catch (error) {
      if (error instanceof DockerRequestError && error.status === 404) return true;
    }
  }
  return false;
}

/** How long looking and packing may take. */
const limitMs = 30_000;
/** Names and paddings of an archive, besides the content of its files. */
const archiveOverheadBytes = 16 * 1024 * 1024;
const maxToldCharacters = 100;

interface SeenInside {
  readonly isDiskFull: boolean;
  readonly collected: Collected;
}

/**
 * Looks at the work folder by a program in the container, for where it cannot be reached from outside.
 * What the program left running is killed first. Files are packed when `request` asks for some.
 */
async function examineFromInside(
  api: DockerApi,
  containerId: string,
  request: CollectRequest | null,
): Promise<SeenInside> {
  const paths = request === null || request.paths.length === 0 ? ['.'] : request.paths;
  const pack = request === null ? '' : 'exec tar -cf - -- "$@" 2>/dev/null';
  const script = `kill -KILL -1 2>/dev/null; stat -f -c '%f %d' . >&2; ${pack}`;
  const pieces: Uint8Array[] = [];
  let bytesLeft = (request?.maxBytes ?? 0) + archiveOverheadBytes;
  let told = '';
  const { promise: full, resolve: onFull } = Promise.withResolvers<void>();
  const spec = {
    containerId,
    command: ['sh', '-c', script, 'sh', ...paths.map((path) => `./${path}`)],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    user: programUser,
    folder: workFolder,
  };
  const exec = await ContainerExec.start(api, spec, (stream, bytes) => {
    if (stream === 'stderr')
      told = (told + Buffer.from(bytes).toString()).slice(0, maxToldCharacters);
    else if (bytesLeft > 0) pieces.push(bytes);
    bytesLeft -= bytes.length;
    if (bytesLeft <= 0) onFull();
  });
  exec.send([]);
  await Promise.race([exec.drained(limitMs), full]);
  exec.close();
  const free = /^(\d+) (\d+)/.exec(told);
  return {
    isDiskFull: free !== null && (free[1] === '0' || free[2] === '0'),
    collected:
      request === null ? { files: [], observations: [] } : readTar(Buffer.concat(pieces), request),
  };
}
