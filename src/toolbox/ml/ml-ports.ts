import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Experience } from '../../contract/experience/index.ts';
import type { TrainedModels, TrainingEngine } from '../../contract/ml/index.ts';
import type { Sandbox } from '../../contract/sandbox/index.ts';
import type { Clock, Log } from '../../kernel/index.ts';

/** All that the server `ml` needs of others. */
export interface MlParts {
  readonly version: string;
  /** Folders whose files may be read. */
  readonly roots: readonly string[];
  /** Jobs and environments are below `ml/` in it. */
  readonly home: string;
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'get'>>;
  readonly models: TrainedModels;
  /** Those that can be asked on this machine, the default first. */
  readonly engines: () => Promise<readonly TrainingEngine[]>;
  readonly experience: Pick<Experience, 'failed' | 'succeeded' | 'explain'>;
  /** Fetches from a hub, checked; absent where nothing may be fetched. */
  readonly fetchDocument?: FetchDocument | undefined;
  /** Runs programs of this machine outside of the sandbox, to find interpreters and to build environments. */
  readonly runProgram: RunProgram;
  /** Where environments are tested: what training will see. */
  readonly sandbox: () => Promise<Pick<Sandbox, 'run'>>;
  /** Where Python interpreters are looked for. */
  readonly surroundings: { readonly searchPath: string; readonly homeDirectory: string };
  readonly packagePolicy: PackagePolicy;
  readonly limits: MlLimits;
  readonly clock: Clock;
  readonly log: Log;
}

export type FetchDocument = (
  url: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
) => Promise<Uint8Array>;

export interface ProgramOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type RunProgram = (
  argv: readonly string[],
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly env?: Readonly<Record<string, string>>;
    /** Called with each piece of output. */
    readonly onOutput?: (text: string) => void;
  },
) => Promise<ProgramOutcome>;

/** What the settings allow environments to be built from. */
export interface PackagePolicy {
  /** Without it nothing is fetched. */
  readonly network: boolean;
  /** The index; it may hold a password, which is never shown. */
  readonly indexUrl: string;
  /** A folder of wheels that is used instead of the index. */
  readonly wheelDirectory?: string | undefined;
  /** Whether packages may run their build scripts on this machine. */
  readonly sourceBuilds: boolean;
}

/** The most that one job may use, whatever is asked for. */
export interface MlLimits {
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly threads: number;
}
