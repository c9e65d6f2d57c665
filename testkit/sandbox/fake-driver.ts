import {
  protections,
  type CollectedFile,
  type DriverReport,
  type Protection,
  type RunWatch,
  type SandboxLimits,
  type SandboxResult,
} from '../../src/contract/sandbox/index.ts';
import type {
  PreparedSandbox,
  SandboxDriver,
  SandboxJob,
  SandboxShape,
  Toolchain,
} from '../../src/sandbox/driver.ts';
import { SandboxNotStartedError, ToolchainMissingError } from '../../src/sandbox/errors.ts';

/** What a program does in the fake, instead of running. */
export interface Script {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  /** Goes on until it is killed. */
  readonly isEndless?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly result?: Partial<SandboxResult>;
}

export interface FakeOptions {
  readonly name?: string;
  /** What a program does; by default it writes its standard input. */
  readonly script?: (job: SandboxJob, shape: SandboxShape) => Script;
  readonly report?: DriverReport;
  readonly fingerprint?: string;
  readonly accepts?: (limits: SandboxLimits, shape: SandboxShape) => boolean;
}

/** Says that the kernel holds everything. */
export function aReport(
  driver: string,
  change: Partial<DriverReport> & { readonly without?: readonly Protection[] } = {},
): DriverReport {
  const { without = [], ...rest } = change;
  return {
    driver,
    state: 'ready',
    message: 'fake 1',
    protections: protections.map((protection) =>
      without.includes(protection)
        ? { protection, holder: 'none', evidence: 'it got through', fix: `hold ${protection}` }
        : { protection, holder: 'kernel', evidence: 'tried' },
    ),
    ...rest,
  };
}

/** A driver that starts nothing: programs are scripts, and the test says when a start ends or fails. */
export class FakeDriver implements SandboxDriver {
  readonly name: string;
  readonly prepared: FakeSandbox[] = [];
  readonly shapes: SandboxShape[] = [];
  readonly fingerprint?: () => Promise<string>;
  probes = 0;
  sweeps = 0;
  isClosed = false;
  /** The next starts fail with this. */
  failure: string | undefined;
  /** Starts that wait for `release`; null lets all start at once. */
  held: (() => void)[] | null = null;
  readonly #options: FakeOptions;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.name = options.name ?? 'fake';
    const { fingerprint } = options;
    if (fingerprint !== undefined) this.fingerprint = () => Promise.resolve(fingerprint);
  }

  probe(): Promise<DriverReport> {
    this.probes += 1;
    return Promise.resolve(this.#options.report ?? aReport(this.name));
  }

  findToolchain(name: string): Promise<Toolchain> {
    if (name === 'cobol') {
      const missing = { problem: 'no cobc was found', install: 'Install gnucobol' };
      return Promise.reject(new ToolchainMissingError(name, missing));
    }
    return Promise.resolve(aToolchain(name));
  }

  async prepare(shape: SandboxShape, signal?: AbortSignal): Promise<PreparedSandbox> {
    signal?.throwIfAborted();
    this.shapes.push(shape);
    const { held } = this;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
    signal?.throwIfAborted();
    if (this.failure !== undefined) throw new SandboxNotStartedError(this.name, this.failure);
    const sandbox = new FakeSandbox(this.name, shape, this.#options);
    this.prepared.push(sandbox);
    return sandbox;
  }

  /** Lets the start go on that waits longest. */
  release(): void {
    this.held?.shift()?.();
  }

  get living(): number {
    return this.prepared.filter((sandbox) => !sandbox.isDisposed).length;
  }

  sweep(): Promise<number> {
    this.sweeps += 1;
    return Promise.resolve(2);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

export class FakeSandbox implements PreparedSandbox {
  readonly idleMemoryBytes = 10_000_000;
  readonly jobs: SandboxJob[] = [];
  isDisposed = false;
  isDead = false;
  readonly #driver: string;
  readonly #shape: SandboxShape;
  readonly #options: FakeOptions;

  constructor(driver: string, shape: SandboxShape, options: FakeOptions) {
    this.#driver = driver;
    this.#shape = shape;
    this.#options = options;
  }

  isUsable(): boolean {
    return !this.isDead && !this.isDisposed && this.jobs.length === 0;
  }

  accepts(limits: SandboxLimits): boolean {
    return this.#options.accepts?.(limits, this.#shape) ?? true;
  }

  async run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>> {
    if (!this.isUsable()) throw new SandboxNotStartedError(this.#driver, 'it was used before');
    this.jobs.push(job);
    const script = this.#options.script?.(job, this.#shape) ?? { stdout: textOf(job.stdin) };
    const result = resultOf(script, job, this.#driver);
    let sequence = 0;
    for (const stream of ['stdout', 'stderr'] as const) {
      if (result[stream].length === 0) continue;
      watch.onOutput?.({ stream, sequence, bytes: result[stream] });
      sequence += 1;
    }
    if (script.isEndless !== true || result.reason !== null) return result;
    const reason = await endOf(job.limits.wallMs, watch.signal);
    return { ...result, status: 'killed', exitCode: null, reason };
  }

  dispose(): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}

export function aToolchain(name: string): Toolchain {
  const program = `/usr/bin/${name}`;
  return { name, version: '1', program, mounts: [], searchPath: ['/usr/bin'], env: {} };
}

function resultOf(script: Script, job: SandboxJob, driver: string): Omit<SandboxResult, 'wasWarm'> {
  const written = { ...job.files, ...script.files };
  const { outputBytes } = job.limits;
  const stdout = Buffer.from(script.stdout ?? '');
  const isFlood = stdout.length > outputBytes;
  const ending = isFlood
    ? { status: 'killed' as const, exitCode: null, signal: null, reason: 'output' as const }
    : script.signal === undefined
      ? { status: 'exited' as const, exitCode: script.exitCode ?? 0, signal: null, reason: null }
      : { status: 'signalled' as const, exitCode: null, signal: script.signal, reason: null };
  return {
    ...ending,
    stdout: stdout.subarray(0, outputBytes),
    stderr: Buffer.from(script.stderr ?? ''),
    truncated: isFlood,
    usage: { wallMs: 5, cpuMs: 3, peakMemoryBytes: 1_000_000 },
    files: collect(job, written),
    observations: [],
    driver,
    ...script.result,
  };
}

function collect(
  { collect: wanted }: SandboxJob,
  written: Readonly<Record<string, string | Uint8Array>>,
): CollectedFile[] {
  if (!wanted) return [];
  return Object.entries(written)
    .filter(
      ([path]) =>
        wanted.paths.length === 0 ||
        wanted.paths.some((place) => path === place || path.startsWith(`${place}/`)),
    )
    .slice(0, wanted.maxFiles)
    .map(([path, content]) => ({ path, bytes: Buffer.from(content), isExecutable: false }));
}

function endOf(wallMs: number, signal?: AbortSignal): Promise<'timeout' | 'cancelled'> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve('cancelled');
    const timer = setTimeout(() => resolve('timeout'), wallMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve('cancelled');
    });
  });
}

function textOf(content: string | Uint8Array): string {
  return typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
}
