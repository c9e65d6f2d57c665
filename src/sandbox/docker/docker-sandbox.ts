import type {
  Protection,
  RunWatch,
  SandboxLimits,
  SandboxResult,
} from '../../contract/sandbox/index.ts';
import { withoutLimits } from '../bubblewrap/without-limits.ts';
import type { PreparedSandbox, SandboxJob } from '../driver.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { superviseRun } from '../supervise-run.ts';
import { driverName, type StartedContainer } from './started-container.ts';

export interface DockerSandboxParts {
  readonly container: StartedContainer;
  readonly limits: SandboxLimits;
  readonly without: ReadonlySet<Protection>;
  readonly idleMemoryBytes: number;
  /** Gives the container other limits than it was made with. */
  readonly setLimits: (limits: SandboxLimits) => Promise<void>;
}

/** A container whose boot waits for a job. */
export class DockerSandbox implements PreparedSandbox {
  readonly idleMemoryBytes: number;
  readonly #parts: DockerSandboxParts;
  #isUsed = false;

  constructor(parts: DockerSandboxParts) {
    this.#parts = parts;
    this.idleMemoryBytes = parts.idleMemoryBytes;
  }

  isUsable(): boolean {
    return !this.#isUsed && this.#parts.container.isRunning;
  }

  /** The size of its folders and what a process may open cannot be changed from outside. */
  accepts(limits: SandboxLimits): boolean {
    const fixed = this.#parts.limits;
    return limits.diskBytes === fixed.diskBytes && limits.openFiles === fixed.openFiles;
  }

  async run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>> {
    const { container, without, setLimits } = this.#parts;
    if (!this.isUsable()) {
      throw new SandboxNotStartedError(driverName, 'it has run a program or ended');
    }
    this.#isUsed = true;
    try {
      await setLimits(job.limits);
      const limits = withoutLimits(job.limits, without);
      return await superviseRun(container, { job, limits, watch });
    } finally {
      await container.release();
    }
  }

  async dispose(): Promise<void> {
    if (this.#isUsed) return;
    this.#isUsed = true;
    await this.#parts.container.release();
  }
}
