import type {
  LimitName,
  Protection,
  RunWatch,
  SandboxLimits,
  SandboxResult,
} from '../contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxJob, SandboxShape } from './driver.ts';
import { SandboxNotStartedError } from './errors.ts';
import { superviseRun, type WaitingSandbox } from './supervise-run.ts';

export interface SupervisedParts {
  readonly sandbox: WaitingSandbox;
  readonly shape: SandboxShape;
  /** Of a boot that waits, with the processes that hold it. */
  readonly idleMemoryBytes: number;
  /** Limits that cannot be changed from outside once it is started. */
  readonly fixedLimits: readonly LimitName[];
  /** Protections that are left out: for the tests that prove that probes notice. */
  readonly without: ReadonlySet<Protection>;
  /** Does what has to be done in the sandbox before it is sent its job. */
  readonly prepareJob?: (job: SandboxJob) => Promise<SandboxJob>;
  /** Replaces the resource limits that it was started with. */
  readonly setLimits: (limits: SandboxLimits) => Promise<void>;
}

/** A started sandbox for one job, which is supervised to its end. */
export class SupervisedSandbox implements PreparedSandbox {
  readonly idleMemoryBytes: number;
  readonly #parts: SupervisedParts;
  #isUsed = false;

  constructor(parts: SupervisedParts) {
    this.#parts = parts;
    this.idleMemoryBytes = parts.idleMemoryBytes;
  }

  isUsable(): boolean {
    return !this.#isUsed && this.#parts.sandbox.isRunning;
  }

  accepts(limits: SandboxLimits): boolean {
    const { shape, fixedLimits } = this.#parts;
    return fixedLimits.every((limit) => limits[limit] === shape.limits[limit]);
  }

  async run(given: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>> {
    const { sandbox, without, prepareJob } = this.#parts;
    if (!this.isUsable()) {
      throw new SandboxNotStartedError(sandbox.driver, 'it has run a program or ended');
    }
    this.#isUsed = true;
    const limits = withoutLimits(given.limits, without);
    try {
      await this.#setLimits(given.limits, limits);
      const job = prepareJob ? await prepareJob(given) : given;
      return await superviseRun(sandbox, { job, limits, watch });
    } finally {
      await sandbox.release();
    }
  }

  async dispose(): Promise<void> {
    if (this.#isUsed) return;
    this.#isUsed = true;
    await this.#parts.sandbox.release();
  }

  async #setLimits(wanted: SandboxLimits, limits: SandboxLimits): Promise<void> {
    const { sandbox, shape, setLimits } = this.#parts;
    if (resourceLimits.every((limit) => wanted[limit] === shape.limits[limit])) return;
    try {
      await setLimits(limits);
    } catch (error) {
      const reason = `its limits could not be changed: ${String(error)}`;
      throw new SandboxNotStartedError(sandbox.driver, reason, { cause: error });
    }
  }
}

/** Those that a resource group knows. */
const resourceLimits = ['memoryBytes', 'pids', 'cpus', 'cpuMs'] as const;

/** So much that no test reaches it. */
const unlimited = {
  wallMs: 1e9,
  cpuMs: 1e9,
  cpus: 1_000,
  memoryBytes: 2 ** 43,
  pids: 100_000,
  outputBytes: 2 ** 26,
};

/** The limits of a run from which single ones are left out, for the tests that prove that it is noticed. */
export function withoutLimits(
  limits: SandboxLimits,
  without: ReadonlySet<Protection>,
): SandboxLimits {
  if (without.size === 0) return limits;
  return {
    ...limits,
    ...(without.has('wall-time') ? { wallMs: unlimited.wallMs } : {}),
    ...(without.has('cpu-time') ? { cpuMs: unlimited.cpuMs } : {}),
    ...(without.has('cpu-rate') ? { cpus: unlimited.cpus } : {}),
    ...(without.has('memory') ? { memoryBytes: unlimited.memoryBytes } : {}),
    ...(without.has('pids') ? { pids: unlimited.pids } : {}),
    ...(without.has('output') ? { outputBytes: unlimited.outputBytes } : {}),
  };
}
