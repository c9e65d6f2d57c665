import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DriverReport, Protection } from '../../contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxDriver, SandboxShape, Toolchain } from '../driver.ts';
import { SandboxNotStartedError, SandboxUnavailableError } from '../errors.ts';
import { defaultLimits } from '../limits.ts';
import { runCanaries } from '../probe/run-canaries.ts';
import { dockerSeccompProfile } from '../seccomp/docker-seccomp-profile.ts';
import { isContainerLeft, startContainer } from './start-container.ts';
import { sandboxLabel } from './container-spec.ts';
import { dockerApi, type DockerApi } from './docker-api.ts';
import {
  describeLack,
  type DockerEngine,
  dockerFacts,
  examineEngine,
  findDockerSocket,
} from './docker-engine.ts';
import { examineImage, findImage, shellToolchain } from './image-toolchain.ts';
import { driverName, KilledAtStartError, removeContainer } from './started-container.ts';

export interface DockerOptions {
  /** Where the engine is looked for, unless `socket` names it: DOCKER_HOST, XDG_RUNTIME_DIR. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly socket?: string | undefined;
  /** What toolchains without an image of their own run in. Images are never pulled. */
  readonly image: string;
  /** Images by the name of the toolchain. */
  readonly images?: Readonly<Record<string, string>>;
  /** An OCI runtime that the engine knows, such as `runsc`; its default unless told. */
  readonly runtime?: string | undefined;
  /**
   * Protections that are left out: for the tests that prove that `probe` names each. `terminal` cannot
   * be: an engine starts every program in a session of its own.
   */
  readonly without?: readonly Protection[];
  /** False treats the engine as if it were on another machine; for tests. */
  readonly looksAtHost?: boolean;
}

/** How long a container and its boot may take until they wait. Far more than a busy machine needs. */
const startTimeMs = 60_000;

const listedSchema = z.array(z.looseObject({ Id: z.string(), Names: z.array(z.string()) }));

/** Sandboxes by a container engine that speaks Docker's API: Docker and Podman. */
export function createDockerDriver(options: DockerOptions): SandboxDriver {
  return new DockerDriver(options);
}

class DockerDriver implements SandboxDriver {
  readonly name = driverName;
  readonly #options: DockerOptions;
  readonly #without: ReadonlySet<Protection>;
  readonly #toolchains = new Map<string, Promise<Toolchain>>();
  #engine: Promise<Engine> | undefined;

  constructor(options: DockerOptions) {
    this.#options = options;
    this.#without = new Set(options.without);
  }

  async probe(signal?: AbortSignal): Promise<DriverReport> {
    try {
      const { engine } = await this.#engineHere();
      // Asked before the canaries: a missing image is one clear sentence, not thirteen failures.
      await this.findToolchain('node');
      const facts = dockerFacts(engine, this.#without);
      const protections = await runCanaries(this, facts, signal);
      const message = `container engine ${engine.version}`;
      return { driver: driverName, state: 'ready', message, protections };
    } catch (error) {
      const { message, fix } = describeLack(error);
      return { driver: driverName, state: 'unavailable', message, fix, protections: [] };
    }
  }

  async fingerprint(): Promise<string | undefined> {
    const { api, engine, socket, profile } = await this.#engineHere();
    const { id } = await findImage(api, this.#imageOf('node'), 'node');
    const { runtime, looksAtHost } = this.#options;
    const without = [...this.#without].toSorted();
    const calls = createHash('sha256').update(JSON.stringify(profile)).digest('hex');
    return JSON.stringify([socket, engine, id, runtime, looksAtHost, calls, without]);
  }

  findToolchain(name: string): Promise<Toolchain> {
    const known = this.#toolchains.get(name);
    if (known) return known;
    const asked = this.#askForToolchain(name);
    this.#toolchains.set(name, asked);
    // The image may be pulled meanwhile.
    asked.catch(() => this.#toolchains.delete(name));
    return asked;
  }

  async prepare(shape: SandboxShape, signal?: AbortSignal): Promise<PreparedSandbox> {
    signal?.throwIfAborted();
    const { api, profile } = await this.#engineHere();
    const { name } = shape.toolchain;
    const image = await findImage(api, this.#imageOf(name), name);
    const timeout = AbortSignal.timeout(startTimeMs);
    const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const ground = { api, looksAtHost: this.#options.looksAtHost ?? true };
    const { runtime } = this.#options;
    try {
      const request = { shape, image, profile, runtime, without: this.#without };
      const start = () => startContainer(ground, request, ended);
      return await start().catch((error: unknown) => {
        if (error instanceof KilledAtStartError) return start();
        throw error;
      });
    } catch (error) {
      signal?.throwIfAborted();
      const reason = timeout.aborted
        ? `it took longer than ${startTimeMs} ms`
        : describeLack(error).message;
      throw new SandboxNotStartedError(driverName, reason, { cause: error });
    }
  }

  async sweep(): Promise<number> {
    const { api } = await this.#engineHere();
    const filters = encodeURIComponent(JSON.stringify({ label: [sandboxLabel] }));
    const path = `/containers/json?all=true&filters=${filters}`;
    const listed = listedSchema.parse(await api.call({ method: 'GET', path }));
    const left = listed.filter(({ Names: names }) => names.some(isContainerLeft));
    const removed = await Promise.all(left.map(({ Id: id }) => removeContainer(api, id)));
    return removed.filter(Boolean).length;
  }

  async close(): Promise<void> {
    // Every container belongs to its prepared sandbox, and connections end with their requests.
  }

  #engineHere(): Promise<Engine> {
    this.#engine ??= findEngine(this.#options);
    // It may be started meanwhile.
    this.#engine.catch(() => (this.#engine = undefined));
    return this.#engine;
  }

  #imageOf(toolchain: string): string {
    // Without the modules that a name may ask for.
    const [language = ''] = toolchain.split(':', 1);
    return this.#options.images?.[language] ?? this.#options.image;
  }

  async #askForToolchain(name: string): Promise<Toolchain> {
    const { api } = await this.#engineHere();
    const image = await findImage(api, this.#imageOf(name), name);
    const shell = { ...shellToolchain(image), name };
    return await examineImage(name, image, (script) => this.#ask(shell, script));
  }

  async #ask(toolchain: Toolchain, script: string): Promise<string | null> {
    const shape = { toolchain, boot: 'command', mounts: [], limits: defaultLimits } as const;
    const sandbox = await this.prepare(shape);
    const program = { kind: 'command', argv: ['sh', '-c', script] } as const;
    const job = { program, files: {}, env: {}, stdin: '', limits: defaultLimits, collect: null };
    const result = await sandbox.run(job, {});
    return result.exitCode === 0 ? Buffer.from(result.stdout).toString('utf8') : null;
  }
}

interface Engine {
  readonly socket: string;
  readonly api: DockerApi;
  readonly engine: DockerEngine;
  readonly profile: ReturnType<typeof dockerSeccompProfile>;
}

async function findEngine({ socket, env }: DockerOptions): Promise<Engine> {
  const found = findDockerSocket(env, socket);
  if (found.kind === 'missing') throw lacking(found.reason, [found.fix]);
  const api = dockerApi(found.path);
  const engine = await examineEngine(api);
  if (engine.architecture === null) {
    throw lacking(`engine ${engine.version} runs on a processor without a filter of system calls`);
  }
  const profile = dockerSeccompProfile(engine.architecture);
  return { socket: found.path, api, engine, profile };
}

function lacking(reason: string, fixes: readonly string[] = []): SandboxUnavailableError {
  return new SandboxUnavailableError(driverName, [
    { driver: driverName, missing: [reason], fixes },
  ]);
}
