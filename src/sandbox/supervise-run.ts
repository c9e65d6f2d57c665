import { constants } from 'node:os';
import type {
  KillReason,
  LimitName,
  Protection,
  RunWatch,
  SandboxLimits,
  SandboxObservation,
  SandboxResult,
} from '../contract/sandbox/index.ts';
import type { ProcessExit } from '../kernel/index.ts';
import type { OutputListener } from './boot/boot.ts';
import { encodeJob } from './boot/encode-job.ts';
import type { Collected } from './collect/collect-files.ts';
import type { PreparedSandbox, SandboxJob, SandboxShape } from './driver.ts';
import { SandboxNotStartedError } from './errors.ts';
import { Output } from './output.ts';
import type { ResourceGroup } from './resources/resource-control.ts';

interface SupervisedParts {
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

/** A started sandbox whose boot waits for a job. */
export interface WaitingSandbox {
  readonly driver: string;
  /** Resolves with the end of the program, whatever it leaves running. */
  readonly exited: Promise<ProcessExit>;
  readonly isRunning: boolean;
  readonly resources: Pick<ResourceGroup, 'watch' | 'reached' | 'usage'>;
  onOutput(listener: OutputListener): void;
  /** Writes the job; the end of the stream is the end of the program's input. */
  send(parts: readonly Uint8Array[]): void;
  /** Ends everything inside. */
  kill(): void;
  /** Resolves when all output was read, or after that time. */
  drained(maxMs: number): Promise<void>;
  /** A cheap check; false where it cannot be seen. */
  isDiskFull(): boolean;
  /** Whether it keeps a file locked that the host uses; absent where it cannot be seen. */
  locksHostFile?(): Promise<boolean>;
  /** A last check after the end, by whatever means there is. */
  wasDiskFilled(exit: ProcessExit): Promise<boolean>;
  /** The requested files that the program left, and observations about the others. */
  collect(job: SandboxJob): Promise<Collected>;
  /** Kills what runs and removes the sandbox. Never throws. */
  release(): Promise<void>;
}

/** One run: its job, its limits and its listener. */
interface SupervisedRun {
  readonly job: SandboxJob;
  readonly limits: SandboxLimits;
  readonly watch: RunWatch;
}

/** How often its folders and locks are checked. */
const filePollMs = 100;
/** How long the output of a dead program is waited for. */
const drainMs = 1_000;
/** Longer ones would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Sends a sandbox its job and supervises it to its end. The first reason to kill it counts. */
async function superviseRun(
  sandbox: WaitingSandbox,
  { job, limits, watch }: SupervisedRun,
): Promise<Omit<SandboxResult, 'wasWarm'>> {
  let killedFor: KillReason | null = null;
  const kill = (reason: KillReason): void => {
    if (killedFor !== null || !sandbox.isRunning) return;
    killedFor = reason;
    sandbox.kill();
  };
  const output = new Output({
    maxBytes: limits.outputBytes,
    onOutput: watch.onOutput,
    onFull: () => kill('output'),
  });
  const startedAt = performance.now();
  sandbox.onOutput((stream, bytes) => output.add(stream, bytes));
  // First: the program starts while watching is being set up.
  sandbox.send(encodeJob(job));
  const stopWatching = startWatching(sandbox, { limits, signal: watch.signal, kill });
  const exit = await sandbox.exited.finally(stopWatching);
  const wallMs = performance.now() - startedAt;
  await sandbox.drained(drainMs);

  const reached =
    (await sandbox.resources.reached()) ?? ((await isOutOfDisk(sandbox, exit)) ? 'disk' : null);
  const end = endOfRun(exit, killedFor, reached);
  const usage = await sandbox.resources.usage();
  const collected = end.reason === 'cancelled' ? nothing : await sandbox.collect(job);
  return {
    ...end,
    stdout: output.read('stdout'),
    stderr: output.read('stderr'),
    truncated: output.isTruncated,
    usage: { wallMs, ...usage },
    files: collected.files,
    observations: [
      ...(end.status !== 'killed' && reached !== null ? [limitReached(reached)] : []),
      ...collected.observations,
    ],
    driver: sandbox.driver,
  };
}

/** Of a program that wrote a file larger than its disk, and did not handle the signal. */
const exitOfFileTooLarge = 128 + constants.signals.SIGXFSZ;

async function isOutOfDisk(sandbox: WaitingSandbox, exit: ProcessExit): Promise<boolean> {
  return exit.exitCode === exitOfFileTooLarge || sandbox.wasDiskFilled(exit);
}

export const nothing: Collected = { files: [], observations: [] };

interface Watching {
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal | undefined;
  readonly kill: (reason: KillReason) => void;
}

function startWatching(sandbox: WaitingSandbox, { limits, signal, kill }: Watching): () => void {
  const onAbort = (): void => kill('cancelled');
  const wall = setTimeout(() => kill('timeout'), Math.min(limits.wallMs, maxTimerMs));
  const files = setInterval(() => {
    if (sandbox.isDiskFull()) kill('disk');
    void sandbox.locksHostFile?.().then((isLocked) => isLocked && kill('host-lock'));
  }, filePollMs);
  sandbox.resources.watch(kill);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return () => {
    clearTimeout(wall);
    clearInterval(files);
    signal?.removeEventListener('abort', onAbort);
  };
}

function limitReached(reason: KillReason): SandboxObservation {
  return {
    kind: 'limit_reached',
    message: `the limit "${reason}" was reached, and the program ended well all the same`,
  };
}

/** bwrap ends with this and the number of the signal that ended the program. */
const signalBase = 128;

/** Of two names of one signal the first counts: SIGABRT, not SIGIOT. */
const signalNames = new Map<number, string>(
  Object.entries(constants.signals)
    .map(([name, number]): [number, string] => [number, name])
    .toReversed(),
);

type EndOfRun = Pick<SandboxResult, 'status' | 'exitCode' | 'signal' | 'reason'>;

/**
 * How a program ended. `killedFor` is why we killed it, `reached` the limit that was seen afterwards: a
 * program that ended well in spite of it exited, and the limit is named all the same. The first process
 * of a bomb often ends well.
 */
export function endOfRun(
  exit: ProcessExit,
  killedFor: KillReason | null,
  reached: KillReason | null,
): EndOfRun {
  const reason = killedFor ?? (exit.exitCode === 0 ? null : reached);
  if (reason !== null) return { status: 'killed', exitCode: null, signal: null, reason };
  const signal = exit.signal ?? signalNames.get((exit.exitCode ?? 0) - signalBase) ?? null;
  if (signal !== null) return { status: 'signalled', exitCode: null, signal, reason: null };
  return { status: 'exited', exitCode: exit.exitCode, signal: null, reason: reached };
}
