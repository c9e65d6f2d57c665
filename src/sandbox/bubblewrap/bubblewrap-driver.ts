import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { DriverReport, LimitName, Protection } from '../../contract/sandbox/index.ts';
import type { Log, ProcessOwner } from '../../kernel/index.ts';
import type { PreparedSandbox, SandboxDriver, SandboxShape, Toolchain } from '../driver.ts';
import { SandboxNotStartedError } from '../errors.ts';
import type { ResourceControl, ResourceGroup } from '../resources/resource-control.ts';
import { SupervisedSandbox, withoutLimits } from '../supervise-run.ts';
import { findToolchain } from '../toolchains/find-toolchain.ts';
import { hostSurroundings, type Surroundings } from '../toolchains/surroundings.ts';
import { driverName, findProgram } from './host-facts.ts';
import { LockTable } from './host-locks.ts';
import { examineMachine, launch, type Machine } from './launch.ts';
import { obstacleOfComplaint } from './obstacle.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';
import { Staging } from './staging.ts';
import type { StartedSandbox } from './started-sandbox.ts';

export interface BubblewrapOptions {
  readonly owner: ProcessOwner;
  readonly log: Log;
  /** Protections that are left out: for the tests that prove that `probe` names each. */
  readonly without?: readonly Protection[];
  /** How resources are limited; the best way of this machine unless told. */
  readonly resources?: Promise<ResourceControl>;
  /** Where toolchains are looked for; this machine unless told. */
  readonly surroundings?: Surroundings;
}

/** How long bwrap and the boot may take until the sandbox waits. Far more than a busy machine needs. */
const startTimeMs = 20_000;
/** How long the last words of a bwrap that failed are waited for. */
const lastWordsMs = 500;

const mebibyte = 1024 * 1024;
/** An interpreter that waits, with bwrap's two processes. */
const idleMemoryBytes: Readonly<Record<SandboxShape['boot'], number>> = {
  python: 12 * mebibyte,
  node: 45 * mebibyte,
  command: 3 * mebibyte,
};
const pidsLimit: readonly LimitName[] = ['pids'];

/** Sandboxes by bubblewrap: namespaces, a filter of system calls and a resource group each. */
export function createBubblewrapDriver(options: BubblewrapOptions): SandboxDriver {
  return new BubblewrapDriver(options);
}

class BubblewrapDriver implements SandboxDriver {
  readonly name = driverName;
  readonly #options: BubblewrapOptions;
  readonly #without: ReadonlySet<Protection>;
  readonly #surroundings: Surroundings;
  readonly #staging: Staging;
  readonly #lockTable = new LockTable();
  #machine: Promise<Machine> | undefined;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#without = new Set(options.without);
    this.#surroundings = options.surroundings ?? hostSurroundings();
    this.#staging = new Staging(options.owner, findProgram('unshare') ?? 'unshare');
  }

  probe(signal?: AbortSignal): Promise<DriverReport> {
    return probeBubblewrap(
      { driver: this, without: this.#without, examine: () => this.#examine() },
      signal,
    );
  }

  async fingerprint(): Promise<string | undefined> {
    const machine = await this.#examine();
    const { bwrap, setpriv, resources, limitsPidsInside, filter } = machine;
    const programs = [bwrap, ...(setpriv === undefined ? [] : [setpriv])];
    const versions = programs.map(async (path) => {
      const { mtimeMs, size, ino } = await stat(path);
      return [path, mtimeMs, size, ino];
    });
    const { kind, fix } = resources;
    const without = [...this.#without].toSorted();
    const calls = createHash('sha256').update(filter).digest('hex');
    return JSON.stringify([
      await Promise.all(versions),
      kind,
      fix,
      limitsPidsInside,
      calls,
      without,
    ]);
  }

  findToolchain(name: string): Promise<Toolchain> {
    return findToolchain(name, this.#surroundings);
  }

  async prepare(shape: SandboxShape, signal?: AbortSignal): Promise<PreparedSandbox> {
    signal?.throwIfAborted();
    const machine = await this.#examine();
    const sandbox = await this.#launch(machine, shape);
    await untilReady(sandbox, { machine, shape, signal });
    return new SupervisedSandbox({
      sandbox,
      shape,
      without: this.#without,
      idleMemoryBytes: idleMemoryBytes[shape.boot],
      fixedLimits: ['diskBytes', 'openFiles', ...(machine.limitsPidsInside ? pidsLimit : [])],
      setLimits: (limits) => sandbox.resources.setLimits(limits),
    });
  }

  async sweep(): Promise<number> {
    const groups = await (await this.#examine()).resources.sweep();
    if (groups > 0) this.#options.log.info('removed orphaned resource groups', { groups });
    return groups;
  }

  async close(): Promise<void> {
    await this.#staging.close();
  }

  /** Examined again after a failure: what is missing may be installed meanwhile. */
  #examine(): Promise<Machine> {
    const machine = this.#machine ?? examineMachine(this.#options.resources);
    this.#machine = machine;
    machine.catch(() => {
      this.#machine = undefined;
    });
    return machine;
  }

  async #launch(machine: Machine, shape: SandboxShape): Promise<StartedSandbox> {
    const { owner } = this.#options;
    const parts = {
      owner,
      machine,
      staging: this.#staging,
      lockTable: this.#lockTable,
      without: this.#without,
      ourEnv: definedOf(this.#surroundings.env),
    };
    const group = await openGroup(machine, withoutLimits(shape.limits, this.#without));
    try {
      return await launch(parts, shape, group);
    } catch (error) {
      await group.close();
      if (error instanceof SandboxNotStartedError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxNotStartedError(driverName, reason, { cause: error });
    }
  }
}

function definedOf(env: Surroundings['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function openGroup(machine: Machine, limits: SandboxShape['limits']): Promise<ResourceGroup> {
  try {
    return await machine.resources.open(limits);
  } catch (error) {
    const reason = `its resources could not be limited: ${String(error)}`;
    throw new SandboxNotStartedError(driverName, reason, { cause: error });
  }
}

interface Start {
  readonly machine: Machine;
  readonly shape: SandboxShape;
  readonly signal: AbortSignal | undefined;
}

async function untilReady(sandbox: StartedSandbox, start: Start): Promise<void> {
  const { signal } = start;
  const stop = (): void => sandbox.kill();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, startTimeMs);
  try {
    await sandbox.ready();
    signal?.throwIfAborted();
  } catch (error) {
    await sandbox.drained(lastWordsMs);
    const limit = await sandbox.resources.reached();
    await sandbox.release();
    signal?.throwIfAborted();
    const reason =
      limit === null ? reasonOf(sandbox, start, error) : tooLow(start.shape, namesOfLimits[limit]);
    throw new SandboxNotStartedError(driverName, reason, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

const namesOfLimits = { memory: 'memoryBytes', pids: 'pids', cpu: 'cpuMs' } as const;

function tooLow({ boot, limits }: SandboxShape, limit: LimitName): string {
  const what = boot === 'command' ? 'a shell' : boot;
  return `${what} did not even start within its limit ${limit} of ${limits[limit]}; raise that limit`;
}

function reasonOf(sandbox: StartedSandbox, { machine }: Start, error: unknown): string {
  const complaint = sandbox.complaint === '' ? String(error) : sandbox.complaint;
  const { message, fix } = obstacleOfComplaint(complaint, machine.facts);
  return fix === undefined ? message : `${message}. To fix it: ${fix}`;
}
