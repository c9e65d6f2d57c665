import {
  type DriverReport,
  lowerOf,
  type PoolReport,
  type RunWatch,
  type Sandbox,
  type SandboxLimits,
  type SandboxProgram,
  type SandboxResult,
  type SandboxRun,
  type ToolchainReport,
} from '../contract/sandbox/index.ts';
import {
  AppError,
  Semaphore,
  type Log,
  orAborted,
  reportError,
  type Timers,
} from '../kernel/index.ts';
import { isReadAtStart } from './boot/boot.ts';
import { checkRun } from './check-run.ts';
import { DriverChoice, type PolicyName } from './choose-driver.ts';
import type { SandboxDriver, SandboxShape, Toolchain } from './driver.ts';
import { SandboxBusyError, SandboxClosedError } from './errors.ts';
import { hardCeilings, programMemory } from './limits.ts';
import { SandboxPool, type PoolOptions } from './pool/sandbox-pool.ts';
import { ProbeCache } from './probe/probe-cache.ts';

export interface SandboxOptions {
  /** In order of preference. */
  readonly drivers: readonly SandboxDriver[];
  /** `auto`, or the name of the one driver to use. */
  readonly wanted: string;
  readonly policy: PolicyName;
  readonly pool: PoolOptions;
  readonly log: Log;
  readonly timers: Timers;
  /** Where results of canaries are kept between processes; null keeps none. */
  readonly cacheDirectory: string | null;
  /** The user's home folder: it is never mounted as a whole. */
  readonly homeDirectory: string;
  /** What no run may exceed; what the machine allows unless told. */
  readonly ceilings?: SandboxLimits;
  /** Memory limits of running programs together; a share of the machine's memory unless told. */
  readonly maxMemoryBytes?: number;
}

/** How long closing waits for a driver that does not answer; then Tutti ends without it. */
const closeLimitMs = 15_000;

/** Nothing is probed, swept or started before the first use. */
export function openSandbox(options: SandboxOptions): Sandbox {
  return new DriverSandbox(options);
}

/**
 * Every run gets a sandbox of its own from the one driver that satisfies the policy, and a place among
 * `maxRunning`. Closing ends what runs.
 */
class DriverSandbox implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #choice: DriverChoice;
  readonly #slots: Semaphore;
  readonly #memory: MemoryBudget;
  readonly #ceilings: SandboxLimits;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #pool: SandboxPool | undefined;
  #sweep: Promise<void> | undefined;
  #waits = 0;
  #closing: Promise<void> | undefined;

  constructor(options: SandboxOptions) {
    const { drivers, wanted, policy, timers, log } = options;
    this.#options = options;
    const cache = new ProbeCache(options.cacheDirectory, { clock: timers, log });
    this.#choice = new DriverChoice({ drivers, wanted, policy, clock: timers, cache });
    const { maxRunning, maxWaiting } = options.pool;
    const hard = hardCeilings();
    this.#ceilings = lowerOf(options.ceilings ?? hard, hard);
    this.#memory = new MemoryBudget(options.maxMemoryBytes ?? programMemory());
    this.#slots = new Semaphore({ maxConcurrent: maxRunning, maxWaiting });
  }

  async run(run: SandboxRun, watch: RunWatch = {}): Promise<SandboxResult> {
    this.#checkOpen();
    const ending = new AbortController();
    const onAbort = (): void => ending.abort(watch.signal?.reason);
    if (watch.signal?.aborted === true) onAbort();
    watch.signal?.addEventListener('abort', onAbort, { once: true });
    const running = this.#runChecked(run, { ...watch, signal: ending.signal });
    this.#running.set(ending, running);
    try {
      return await running;
    } finally {
      this.#running.delete(ending);
      watch.signal?.removeEventListener('abort', onAbort);
    }
  }

  async toolchain(name: string): Promise<ToolchainReport> {
    this.#checkOpen();
    const driver = await this.#choice.choose();
    const { version, program } = await driver.findToolchain(name);
    return { name, version, program };
  }

  async examine(): Promise<readonly DriverReport[]> {
    this.#checkOpen();
    return this.#choice.examine();
  }

  pool(): PoolReport {
    const report = this.#pool?.report() ?? { idle: {}, hits: 0, misses: 0 };
    return { ...report, waits: this.#waits };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const ending of this.#running.keys()) ending.abort(new SandboxClosedError());
    await this.#inTime(async () => {
      await Promise.all([Promise.allSettled(this.#running.values()), this.#choice.close()]);
      await this.#pool?.close();
      await this.#sweep;
    });
    const { drivers } = this.#options;
    await this.#inTime(() => Promise.all(drivers.map((driver) => driver.close())));
  }

  async #inTime(work: () => Promise<unknown>): Promise<void> {
    const { timers, log } = this.#options;
    const { promise: isLate, resolve } = Promise.withResolvers<boolean>();
    const cancel = timers.after(closeLimitMs, () => resolve(true));
    try {
      if (!(await Promise.race([work().then(() => false), isLate]))) return;
      log.warn('sandbox did not close in time', { closeLimitMs });
    } finally {
      cancel();
    }
  }

  #checkOpen(): void {
    if (this.#closing) throw new SandboxClosedError();
  }

  async #runChecked(run: SandboxRun, watch: Watched): Promise<SandboxResult> {
    watch.signal.throwIfAborted();
    const { homeDirectory } = this.#options;
    const checked = await checkRun(run, { homeDirectory, ceilings: this.#ceilings });
    const driver = await orAborted(this.#choice.choose(), watch.signal);
    this.#startSweep(driver);
    const toolchain = await orAborted(driver.findToolchain(checked.toolchain), watch.signal);
    await this.#enter(watch.signal);
    try {
      const giveBack = await this.#memory.take(checked.limits.memoryBytes, watch.signal);
      try {
        return await this.#runInSandbox({ run: checked, driver, toolchain }, watch);
      } finally {
        giveBack();
      }
    } finally {
      this.#slots.leave();
    }
  }

  async #runInSandbox(settled: SettledRun, watch: Watched): Promise<SandboxResult> {
    watch.signal.throwIfAborted();
    const { run, driver, toolchain } = settled;
    const program = startable(run, toolchain);
    const { mounts, limits, files, env, stdin, collect } = run;
    const shape: SandboxShape = { toolchain, boot: program.kind, mounts, limits };
    const { sandbox, wasWarm } = await this.#poolOf(driver).take(shape, watch.signal);
    try {
      const job = { program, files, env, stdin, limits, collect };
      return { ...(await sandbox.run(job, watch)), wasWarm };
    } finally {
      await sandbox.dispose();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#slots.tryEnter()) return;
    this.#waits += 1;
    try {
      await this.#slots.enter(signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'kernel.too_busy') throw error;
      this.#waits -= 1;
      const { maxRunning, maxWaiting } = this.#options.pool;
      throw new SandboxBusyError({ maxConcurrent: maxRunning, maxWaiting });
    }
  }

  #poolOf(driver: SandboxDriver): SandboxPool {
    const { pool: options, timers, log } = this.#options;
    this.#pool ??= new SandboxPool({
      options,
      timers,
      log,
      prepare: (shape, signal) => driver.prepare(shape, signal),
    });
    return this.#pool;
  }

  /** Leftovers of a dead instance are never ours, so the first run need not wait for their removal. */
  #startSweep(driver: SandboxDriver): void {
    const { log } = this.#options;
    const { name } = driver;
    this.#sweep ??= driver.sweep().then(
      (count) => {
        if (count > 0) log.info('removed orphaned sandboxes', { driver: name, count });
      },
      (error: unknown) => {
        const { message: reason } = reportError(error);
        log.warn('failed to remove orphaned sandboxes', { driver: name, reason });
      },
    );
  }
}

interface Watched extends RunWatch {
  readonly signal: AbortSignal;
}

interface SettledRun {
  readonly run: SandboxRun;
  readonly driver: SandboxDriver;
  readonly toolchain: Toolchain;
}

/** An interpreter that waits already would not see variables it reads at its start. */
function startable({ program, env }: SandboxRun, toolchain: Toolchain): SandboxProgram {
  if (program.kind === 'command') return program;
  if (!Object.keys(env).some(isReadAtStart)) return program;
  return { kind: 'command', argv: [toolchain.program, program.main, ...program.args] };
}

/** Memory for programs that run at once; a run that finds too little left waits, in order of arrival. */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #freeBytes: number;

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
    this.#freeBytes = totalBytes;
  }

  /**
   * Resolves when so much is left, with what gives it back. All of it is the most that is waited for.
   * Throws the signal's reason.
   */
  async take(wantedBytes: number, signal: AbortSignal): Promise<() => void> {
    const bytes = Math.min(wantedBytes, this.#totalBytes);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
        this.#admit();
      };
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { bytes, enter };
      signal.throwIfAborted();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
    return () => {
      this.#freeBytes += bytes;
      this.#admit();
    };
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (next.bytes > this.#freeBytes) return;
      this.#waiting.shift();
      this.#freeBytes -= next.bytes;
      next.enter();
    }
  }
}
