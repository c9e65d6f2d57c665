import type {
  Protection,
  RunWatch,
  SandboxLimits,
  SandboxResult,
} from '../../contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxJob, SandboxShape } from '../driver.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { superviseRun } from '../supervise-run.ts';
import { driverName } from './driver-name.ts';
import type { StartedSandbox } from './started-sandbox.ts';
import { withoutLimits } from './without-limits.ts';

const mebibyte = 1024 * 1024;
/** An interpreter that waits, with bwrap's two processes. */
const idleMemoryBytes: Readonly<Record<SandboxShape['boot'], number>> = {
  python: 12 * mebibyte,
  node: 45 * mebibyte,
  command: 3 * mebibyte,
};

export interface SandboxParts {
  readonly sandbox: StartedSandbox;
  readonly shape: SandboxShape;
  readonly without: ReadonlySet<Protection>;
  /** Whether the number of processes was fixed at the start. */
  readonly hasFixedPids: boolean;
}

/** A bwrap whose boot waits for a job. */
export class BubblewrapSandbox implements PreparedSandbox {
  readonly idleMemoryBytes: number;
  readonly #parts: SandboxParts;
  #isUsed = false;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.idleMemoryBytes = idleMemoryBytes[parts.shape.boot];
  }

  isUsable(): boolean {
    return !this.#isUsed && this.#parts.sandbox.isRunning;
  }

  /** The size of its folders and what a process may open cannot be changed from outside. */
  accepts(limits: SandboxLimits): boolean {
    const fixed = this.#parts.shape.limits;
    return (
      limits.diskBytes === fixed.diskBytes &&
      limits.openFiles === fixed.openFiles &&
      (!this.#parts.hasFixedPids || limits.pids === fixed.pids)
    );
  }

  async run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>> {
    const { sandbox, shape, without } = this.#parts;
    if (!this.isUsable()) {
      throw new SandboxNotStartedError(driverName, 'it has run a program or ended');
    }
    this.#isUsed = true;
    const limits = withoutLimits(job.limits, without);
    try {
      if (!areSame(job.limits, shape.limits)) await setLimits(sandbox, limits);
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
}

function areSame(one: SandboxLimits, other: SandboxLimits): boolean {
  return resourceLimits.every((limit) => one[limit] === other[limit]);
}

/** Those that a resource group knows. */
const resourceLimits = ['memoryBytes', 'pids', 'cpus', 'cpuMs'] as const;

async function setLimits(sandbox: StartedSandbox, limits: SandboxLimits): Promise<void> {
  try {
    await sandbox.resources.setLimits(limits);
  } catch (error) {
    const reason = `its limits could not be changed: ${String(error)}`;
    throw new SandboxNotStartedError(driverName, reason, { cause: error });
  }
}
