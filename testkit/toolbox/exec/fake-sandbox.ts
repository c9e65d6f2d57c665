import type {
  OutputPiece,
  Sandbox,
  SandboxResult,
  SandboxRun,
} from '../../../src/contract/sandbox/index.ts';

/** What a program of the fake does. */
export interface FakeProgram extends Partial<Omit<SandboxResult, 'stdout' | 'stderr'>> {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
  /** What it writes while it runs. */
  readonly pieces?: readonly (readonly [OutputPiece['stream'], string | Uint8Array])[];
  /** It runs until it is cancelled. */
  readonly isEndless?: boolean;
}

/** A sandbox that runs nothing: each run ends as told, and is remembered. */
export class FakeSandbox implements Sandbox {
  readonly runs: SandboxRun[] = [];
  readonly #program: FakeProgram;

  constructor(program: FakeProgram = {}) {
    this.#program = program;
  }

  readonly run: Sandbox['run'] = async (run, { signal, onOutput } = {}) => {
    this.runs.push(run);
    const { stdout = '', stderr = '', pieces = [], isEndless = false, ...rest } = this.#program;
    for (const [sequence, [stream, text]] of pieces.entries()) {
      onOutput?.({ stream, sequence, bytes: bytesOf(text) });
    }
    const ended: SandboxResult = {
      status: 'exited',
      exitCode: 0,
      signal: null,
      reason: null,
      stdout: bytesOf(stdout),
      stderr: bytesOf(stderr),
      truncated: false,
      usage: { wallMs: 12, cpuMs: 10, peakMemoryBytes: 9_000_000 },
      files: [],
      observations: [],
      driver: 'fake',
      wasWarm: false,
      ...rest,
    };
    if (!isEndless) return ended;
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    return { ...ended, status: 'killed', exitCode: null, reason: 'cancelled' };
  };

  readonly toolchain: Sandbox['toolchain'] = async (name) => ({
    name,
    version: '1.0',
    program: `/usr/bin/${name}`,
  });

  readonly examine: Sandbox['examine'] = async () => [];
  readonly pool: Sandbox['pool'] = () => ({ idle: {}, hits: 0, misses: 0, waits: 0 });
  readonly close: Sandbox['close'] = async () => {};
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
