/** What a sandboxed program may use at most. Every run has all of them. */
export interface SandboxLimits {
  /** From the moment the program starts until it is killed. */
  readonly wallMs: number;
  /** CPU time of all its processes together. */
  readonly cpuMs: number;
  /** How many processors it may keep busy; fractions are allowed. */
  readonly cpus: number;
  /** Memory of all its processes together, files in its temporary folders included. */
  readonly memoryBytes: number;
  readonly pids: number;
  /** Size of its work folder. */
  readonly diskBytes: number;
  /** Open files of one process. */
  readonly openFiles: number;
  /** Standard output and standard error together. */
  readonly outputBytes: number;
}

export type LimitName = keyof SandboxLimits;

/** Of each limit the lower one. */
export function lowerOf(one: SandboxLimits, other: SandboxLimits): SandboxLimits {
  return {
    wallMs: Math.min(one.wallMs, other.wallMs),
    cpuMs: Math.min(one.cpuMs, other.cpuMs),
    cpus: Math.min(one.cpus, other.cpus),
    memoryBytes: Math.min(one.memoryBytes, other.memoryBytes),
    pids: Math.min(one.pids, other.pids),
    diskBytes: Math.min(one.diskBytes, other.diskBytes),
    openFiles: Math.min(one.openFiles, other.openFiles),
    outputBytes: Math.min(one.outputBytes, other.outputBytes),
  };
}

/** Why the supervisor ended a program, or which limit it died of. */
export type KillReason =
  | 'timeout'
  | 'cpu'
  | 'memory'
  | 'pids'
  | 'disk'
  | 'output'
  /** It kept a file of the host locked. */
  | 'host-lock'
  | 'cancelled';

/** How the program is started inside. Paths are relative to the work folder. */
export type SandboxProgram =
  /** `python3 MAIN ARGS`, in a Python that may have been started in advance. */
  | { readonly kind: 'python'; readonly main: string; readonly args: readonly string[] }
  /** `node MAIN ARGS`, in a Node that may have been started in advance. */
  | { readonly kind: 'node'; readonly main: string; readonly args: readonly string[] }
  /** Any program of the toolchain, looked up in its search path. */
  | { readonly kind: 'command'; readonly argv: readonly string[] };

/** A folder or file of the host that the program sees read-only. */
export interface SandboxMount {
  readonly source: string;
  readonly target: string;
}

/** One run of an untrusted program. */
export interface SandboxRun {
  /** `python`, `node`, `go`, `rust`, `java`, `shell` …: decides what is installed inside. */
  readonly toolchain: string;
  readonly program: SandboxProgram;
  /** Laid out in the work folder before the program starts; relative paths, no `..`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** All of its environment besides what the toolchain itself needs (`PATH`, `HOME`, `LANG`, …). */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | Uint8Array;
  readonly limits: SandboxLimits;
  readonly mounts: readonly SandboxMount[];
  /** Which files of the work folder to bring back, and how much. Null brings none. */
  readonly collect: CollectRequest | null;
}

export interface CollectRequest {
  /** Files or folders in the work folder; empty means all of it. */
  readonly paths: readonly string[];
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** A piece of output as it came. */
export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  /** Counts pieces of both streams from 0. */
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** A regular file that a program left in its work folder. Links and devices are never followed. */
export interface CollectedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

export interface SandboxUsage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

/** An event that the sandbox observed, whether the program reported it or not. */
export interface SandboxObservation {
  readonly kind: 'limit_reached' | 'blocked_syscall' | 'file_not_collected' | 'files_written';
  readonly message: string;
}

export interface SandboxResult {
  readonly status: 'exited' | 'signalled' | 'killed';
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it was killed; with `exited` the limit it reached though it ended well. */
  readonly reason: KillReason | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Output was cut at its limit. */
  readonly truncated: boolean;
  readonly usage: SandboxUsage;
  readonly files: readonly CollectedFile[];
  readonly observations: readonly SandboxObservation[];
  readonly driver: string;
  /** Whether the sandbox had been started in advance. */
  readonly wasWarm: boolean;
}

/** What listens to a run while it goes on. */
export interface RunWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((piece: OutputPiece) => void) | undefined;
}

/** What holds a sandboxed program back. Each is tried by `probe`. */
export const protections = [
  'unprivileged-user',
  'user-namespace',
  'nested-namespaces',
  'process-namespace',
  'network',
  'host-files',
  'read-only-system',
  'host-identity',
  'environment',
  'capabilities',
  'new-privileges',
  'system-calls',
  'terminal',
  'dies-with-us',
  'wall-time',
  'cpu-time',
  'cpu-rate',
  'memory',
  'pids',
  'disk',
  'open-files',
  'output',
] as const;

export type Protection = (typeof protections)[number];

/** What enforces a protection: the kernel always, the supervisor with a delay, or nothing. */
export type Holder = 'kernel' | 'supervisor' | 'none';

export interface ProtectionReport {
  readonly protection: Protection;
  readonly holder: Holder;
  /** What was tried and seen, one line. */
  readonly evidence: string;
  /** What to do to have it held better: an exact command where there is one. */
  readonly fix?: string | undefined;
}

export interface DriverReport {
  readonly driver: string;
  /** `unproven`: written, but its canaries never ran on such a machine. */
  readonly state: 'ready' | 'unavailable' | 'unproven';
  /** Version of what does the work, or why it cannot. */
  readonly message: string;
  readonly fix?: string | undefined;
  readonly protections: readonly ProtectionReport[];
}

export interface PoolReport {
  readonly idle: Readonly<Record<string, number>>;
  readonly hits: number;
  readonly misses: number;
  /** Runs that waited because as many as allowed were running. */
  readonly waits: number;
}

/** Runs untrusted programs. Throws `sandbox.*`; the outcome of the program itself is a result. */
export interface Sandbox {
  run(run: SandboxRun, watch?: RunWatch): Promise<SandboxResult>;
  /** The toolchain that runs of this name get. Throws `sandbox.toolchain_missing` with what to install. */
  toolchain(name: string): Promise<ToolchainReport>;
  /** What each driver can do here; runs canaries unless a recent result is known. */
  examine(): Promise<readonly DriverReport[]>;
  pool(): PoolReport;
  close(): Promise<void>;
}

export interface ToolchainReport {
  readonly name: string;
  /** What it says of its own version. */
  readonly version: string;
  /** The program inside the sandbox. */
  readonly program: string;
}
