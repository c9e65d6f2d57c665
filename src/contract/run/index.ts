import type { ArtifactRef } from '../artifact/index.ts';
import type { Caller } from '../caller/index.ts';
import type { ErrorReport } from '../error/index.ts';
import type { Json, Plan, PlanCheck } from '../plan/index.ts';

/**
 * queued: stored, not begun · running · waiting: needs an answer or a signal (`waitingFor` says which
 * and how) · paused · succeeded · failed · cancelled. A run that only sleeps is running.
 */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'succeeded'
  | 'failed'
  | 'cancelled';

export const runStatuses = [
  'queued',
  'running',
  'waiting',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];

export type StepStatus =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'cancelled'
  /** An effect with an unknown outcome. */
  | 'unknown';

export type EngineName = 'embedded' | 'restate';

export interface StepView {
  readonly status: StepStatus;
  /** Where it is too big to be shown, `stored` names it instead. */
  readonly output?: Json;
  readonly stored?: StoredOutput;
  /** The tool's own words about its result, cut; absent where `output` is all it said. */
  readonly text?: string;
  readonly error?: ErrorReport;
  /** ISO 8601; null before. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly tool?: string;
  /** Elements of a `forEach`: how many there are and how many are done. */
  readonly items?: { readonly total: number; readonly done: number };
  /** What the running call said last. */
  readonly progress?: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  /** Its result came from the cache. */
  readonly isCached?: boolean;
}

export interface StoredOutput extends ArtifactRef {
  /** The beginning, as text. */
  readonly preview: string;
}

/** What a run waits for, and the command that gives it. */
export type Waiting =
  | {
      readonly kind: 'approval';
      readonly step: string;
      readonly approvalId: string;
      readonly message: string;
      /** What the call would do, for the person who decides: a diff, for instance. */
      readonly preview?: string;
      readonly tool: string | null;
      readonly arguments: Json;
      /** Values in the arguments are too large to be here: `stored` in their place says where they are. */
      readonly isPartial?: true;
      readonly expiresAt: string;
    }
  | { readonly kind: 'signal'; readonly step: string; readonly signal: string }
  | {
      readonly kind: 'resolve';
      readonly step: string;
      readonly tool: string;
      readonly message: string;
    }
  | { readonly kind: 'repair'; readonly step: string; readonly error: ErrorReport };

export interface RunSummary {
  readonly runId: string;
  readonly name: string | null;
  readonly goal: string | null;
  readonly status: RunStatus;
  readonly engine: EngineName;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly forkedFrom: string | null;
  /** It is `running`, and no process executes it any more: `runs resume` goes on with it. */
  readonly isInterrupted?: true;
}

/** A run as it stands. */
export interface RunView extends RunSummary {
  /** By path, in the order of the plan; those of sub-plans as `outer/inner`. */
  readonly steps: Readonly<Record<string, StepView>>;
  readonly output?: Json;
  readonly error?: ErrorReport;
  readonly waitingFor: readonly Waiting[];
  readonly input: Readonly<Record<string, Json>>;
  readonly traceId: string | null;
}

/** A plan as it is given: text with where it came from, or data. */
export type PlanSource =
  | { readonly kind: 'text'; readonly text: string; readonly file?: string }
  | { readonly kind: 'data'; readonly plan: unknown };

export interface NewRun {
  readonly source: PlanSource;
  readonly input: Readonly<Record<string, Json>>;
  readonly engine?: EngineName;
  /** Drop dead steps and merge identical read-only calls first; the setting decides when not given. */
  readonly optimize?: boolean;
  /** The caller's idempotency key: the same key starts one run. */
  readonly idempotencyKey?: string;
  /** Trace the run belongs to (`traceparent`). */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The outcome of an effect as verified by a person. */
export type Resolution =
  | { readonly kind: 'happened'; readonly output?: Json }
  | { readonly kind: 'not-happened' };

export interface ForkChanges {
  /** This step and all that need it run again; without it, those that changed inputs reach. */
  readonly fromStep?: string;
  readonly input?: Readonly<Record<string, Json>>;
  /** Arguments to replace, by step. */
  readonly args?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Plans and runs as the faces use them. Errors have codes `plan.…` and `workflow.…`. */
export interface Workflows {
  check(caller: Caller, source: PlanSource, options?: { optimize?: boolean }): Promise<PlanCheck>;
  draw(plan: Plan, format: 'text' | 'mermaid' | 'svg'): Promise<string>;
  /**
   * Checks and stores a run, which then survives whatever dies. Throws `plan.invalid` with all problems.
   * This process executes it, unless its engine has others do that.
   */
  start(caller: Caller, run: NewRun): Promise<{ readonly runId: string }>;
  /**
   * Waits until the run has ended or needs an answer, wherever it is executed. With `execute` this
   * process claims it when it has no owner. An abort ends the waiting, not the run.
   */
  follow(caller: Caller, runId: string, options: FollowOptions): Promise<RunView>;
  list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]>;
  /** By id or a unique beginning of it. Throws `workflow.unknown_run`. */
  show(caller: Caller, runId: string): Promise<RunView>;
  /** What is under way reaches the tools as a cancellation. */
  cancel(caller: Caller, runId: string, reason?: string): Promise<void>;
  pause(caller: Caller, runId: string): Promise<void>;
  resume(caller: Caller, runId: string): Promise<void>;
  /** What failed, and what was skipped because of it, is tried again; all else keeps its outcome. */
  retry(caller: Caller, runId: string, fromStep?: string): Promise<void>;
  fork(caller: Caller, runId: string, changes: ForkChanges): Promise<{ readonly runId: string }>;
  /** `step` may be left out where just one approval is asked for. */
  decide(caller: Caller, runId: string, decision: Decision): Promise<void>;
  /** A signal is a fact about a run: the first value counts, every wait for it gets that. */
  signal(caller: Caller, runId: string, name: string, payload: Json): Promise<void>;
  resolve(caller: Caller, runId: string, step: string, resolution: Resolution): Promise<void>;
  /** Corrected arguments for a step with `onFailure: repair`; null gives the step up. */
  repair(
    caller: Caller,
    runId: string,
    step: string,
    args: Readonly<Record<string, Json>> | null,
  ): Promise<void>;
}

export interface Decision {
  readonly step?: string;
  /** Just the question that was shown: one that has taken its place meanwhile stays undecided. */
  readonly approvalId?: string;
  readonly verdict: 'approved' | 'denied';
  readonly reason?: string;
}

export interface FollowOptions {
  readonly execute: boolean;
  readonly signal: AbortSignal;
  readonly onChange?: (view: RunView) => void;
  /** With `execute`: called when this process cannot continue for now and starts to retry. */
  readonly onTrouble?: (error: ErrorReport) => void;
}

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  /** Without it those of other projects, too. */
  readonly where?: 'here';
  readonly limit: number;
}
