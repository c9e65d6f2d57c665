import type {
  CollectRequest,
  DriverReport,
  SandboxLimits,
  SandboxMount,
  SandboxProgram,
  SandboxResult,
  RunWatch,
  ToolchainReport,
} from '../contract/sandbox/index.ts';

/** Programs of one language and what they need to run inside. */
export interface Toolchain extends ToolchainReport {
  /** Read-only, besides the system folders every sandbox has. */
  readonly mounts: readonly SandboxMount[];
  /** Folders programs are looked up in, inside. */
  readonly searchPath: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Everything about a sandbox that is settled before its program is known. */
export interface SandboxShape {
  readonly toolchain: Toolchain;
  /** What waits inside for the program: an interpreter that is up already, or a shell. */
  readonly boot: SandboxProgram['kind'];
  readonly mounts: readonly SandboxMount[];
  readonly limits: SandboxLimits;
}

/** The part of a run that is sent to a waiting sandbox. */
export interface SandboxJob {
  readonly program: SandboxProgram;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | Uint8Array;
  readonly limits: SandboxLimits;
  readonly collect: CollectRequest | null;
}

/**
 * A sandbox in which nothing has run yet. It runs one program and is gone: `run` and `dispose` leave
 * nothing behind, neither processes nor folders, mounts or cgroups.
 */
export interface PreparedSandbox {
  /** What it costs while it waits. */
  readonly idleMemoryBytes: number;
  /** False once it died by itself while it waited. */
  isUsable(): boolean;
  /** Whether it can still be given these limits. */
  accepts(limits: SandboxLimits): boolean;
  run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>>;
  dispose(): Promise<void>;
}

/** One way to run untrusted programs. */
export interface SandboxDriver {
  readonly name: string;
  /** Tries every protection and says who holds it. Never throws: what cannot work is a report. */
  probe(signal?: AbortSignal): Promise<DriverReport>;
  /**
   * Everything of its own that a probe's result depends on: versions of programs, options. Cheap. Without
   * one a result is not remembered between processes.
   */
  fingerprint?(): Promise<string | undefined>;
  /** Throws `sandbox.toolchain_missing` with what to install. */
  findToolchain(name: string): Promise<Toolchain>;
  /** Resolves when the sandbox waits for its program. Throws `sandbox.not_started`. */
  prepare(shape: SandboxShape, signal?: AbortSignal): Promise<PreparedSandbox>;
  /** Removes what a dead instance left behind; returns how much. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}
