import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { EngineName } from '../../contract/run/index.ts';
import type { Log, Timers } from '../../kernel/index.ts';
import type { Approvals, EffectStore, StepCache } from '../effects/index.ts';
import type { RunStore, SignalRecord } from '../engine/run-store.ts';
import type { PlanChecker } from './plan-checker.ts';

/** What runs need of the world around them. */
export interface WorkflowsParts {
  readonly store: RunStore;
  readonly plans: PlanChecker;
  readonly approvals: Pick<Approvals, 'decide' | 'open'>;
  readonly effects: Pick<EffectStore, 'effects' | 'approval'>;
  readonly cache: Pick<StepCache, 'prune'>;
  readonly artifacts: RunArtifacts;
  readonly executor: (engine: EngineName) => Promise<RunExecutor>;
  readonly beginTrace: BeginTrace;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits: RunLimits;
  /**
   * The folder this process works in, which may change: runs that are started here belong to it, and those of
   * other folders are not executed here.
   */
  readonly place: () => Promise<string>;
}

export interface RunLimits {
  readonly engine: EngineName;
  /** A run that is not over after this long has failed. */
  readonly maxRunMs: number;
  readonly maxItems: number;
  /** Runs that ended are kept this long. */
  readonly retentionMs: number;
}

export type RunArtifacts = Pick<Artifacts, 'get' | 'page' | 'collect'>;

/** What executes runs, here or elsewhere, as seen by code that starts and follows them. */
export interface RunExecutor {
  /** Throws when it could not take a run now: then the run is not stored either. */
  ready?(): Promise<void>;
  /**
   * Has a stored run executed; does nothing for a run that has an owner. A process that may end any moment
   * claims only runs that are waited for.
   */
  begin(
    runId: string,
    options: { readonly isWaitedFor: boolean; readonly depth?: number },
  ): Promise<void>;
  /** The signal is in the store. */
  signalled(runId: string, signal: SignalRecord): Promise<void>;
  /** What is asked of the run has changed in the store: to this, null for nothing any more. */
  requested(runId: string, request: 'cancel' | 'pause' | null): Promise<void>;
  /** How far calls are that are under way in this process. */
  underway(runId: string): readonly RunningCall[];
  /** Why this process could not go on with the run when it tried last. */
  trouble?(runId: string): unknown;
  /** Calls `listener` when this run may have changed, until the returned function is called. */
  onChange(runId: string, listener: (news: RunNews) => void): () => void;
}

/**
 * progress: something of the run settled or progressed here · elsewhere: another process wrote, about any
 * run · turn: the run has another status, or this process has nothing to do with it any more.
 */
export type RunNews = 'progress' | 'elsewhere' | 'turn';

export interface RunningCall {
  readonly key: string;
  readonly progress?: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
}

/**
 * Opens the trace of a run: gives what calls made for it carry in `_meta`. The run continues the trace
 * of the request that started it, where there is one.
 */
export type BeginTrace = (run: {
  readonly caller: Caller;
  readonly runId: string;
  readonly name: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
}) => Promise<Readonly<Record<string, unknown>>>;
