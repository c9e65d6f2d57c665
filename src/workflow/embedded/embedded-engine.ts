import type { Json } from '../../contract/plan/index.ts';
import type { FaultPoint, Log, ProcessIdentity, Timers } from '../../kernel/index.ts';
import type { RunActivity, RunScope } from '../engine/run-scope.ts';
import type { RunRecord, RunStore, Lease, Release, WholeRun } from '../engine/run-store.ts';
import type { CommitQueue } from './commit-queue.ts';

/**
 * Executes runs in this process, on a store that several processes share.
 *
 * 1. A run is executed by one process at a time: the owner of its lease.
 * 2. A step's outcome is committed before anything observable outside the run depends on it.
 * 3. What cannot be committed any more (the lease is gone, the store is broken) is not acted upon: the
 *    run is released, and its next owner continues from what was committed.
 */
export interface EmbeddedEngine {
  /**
   * Claims the run, or enqueues it when this process executes as many as it may. Settles
   * when this process is through with it. Never throws. `depth` is that of the run, where it is known:
   * it may overtake queued runs when a run less deep may wait for it.
   */
  execute(runId: string, depth?: number): Promise<ExecutionEnd>;
  /** Enqueues unclaimed runs as far as there are free slots; returns how many. */
  resumeAll(): Promise<number>;
  /** From now on looks for unclaimed runs: at once, every few seconds, and when another process wrote. */
  start(): void;
  /** To be called when this process wrote a signal or a request, which else is seen at the next look. */
  look(): void;
  /**
   * Calls `listener` after something of a run, of this one if it is named, was committed or its progress
   * changed; with null when another process wrote, whatever that was. Ends by the function that is returned.
   */
  onChange(listener: ChangeListener, runId?: string): () => void;
  /** Why this process could not go on with a run when it tried last; undefined when it could. */
  trouble(runId: string): unknown;
  /** What this process is doing for a run right now; nothing when it does not execute it. */
  underway(runId: string): readonly UnderwayActivity[];
  /** Runs that this process executes. */
  readonly size: number;
  /** Stops taking runs on, aborts what runs without recording it, gives all leases back. */
  close(): Promise<void>;
}

/** `isTurn`: the run has another status, or this process has nothing to do with it any more. */
export type ChangeListener = (runId: string | null, isTurn: boolean) => void;

/**
 * ended: the run is over · elsewhere: another process owns it, or it cannot be claimed · idle: it is kept for
 * later, because it waits or is paused · let-go: this process gave it up (it is being closed, lost the
 * lease, could not write) · queued: the queue here is full, so it stays in the store for another process.
 */
export type ExecutionEnd = 'ended' | 'elsewhere' | 'idle' | 'let-go' | 'queued';

export interface UnderwayActivity {
  readonly key: string;
  readonly startedAtMs: number;
  readonly progress?: ActivityProgress;
}

export interface ActivityProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface EmbeddedEngineParts {
  readonly store: RunStore;
  /** The coroutine of a run. What it throws, but for what `next` threw, fails the run. */
  readonly interpret: (run: RunRecord, scope: RunScope) => Promise<RunEnd>;
  readonly runActivity: RunActivity;
  readonly identify: () => Promise<ProcessIdentity>;
  readonly timers: Timers;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly limits: EngineLimits;
}

/**
 * Final outcome of a run, stored as it is. Ends the engine itself makes are
 * `{ kind: 'failed', step: null, error: ErrorReport }` and `{ kind: 'cancelled', reason: string | null }`.
 */
export interface RunEnd {
  readonly status: 'succeeded' | 'failed';
  readonly outcome: Json;
}

export interface EngineLimits {
  /** Runs of one depth executed at once; those that only wait are released when others are queued. */
  readonly maxRuns: number;
  /** Queued runs in memory; further ones stay in the store. */
  readonly maxQueued: number;
  /** What a commit survives: the death of every process, or the loss of power too. */
  readonly durability: 'normal' | 'full';
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How often other processes' writes are looked for. */
  readonly pollMs: number;
  /** How often this process looks for unclaimed runs. */
  readonly scanMs: number;
  /** A run that has had nothing to do for this long is let go until something comes for it. */
  readonly idleMs: number;
  /** An activity that takes longer than this is noted as begun. */
  readonly beganAfterMs: number;
  /** How long cancelled activities have to end before the run ends without them. */
  readonly cancelGraceMs: number;
  readonly maxCommitAttempts: number;
  readonly commitRetryMs: number;
}

export const defaultEngineLimits: EngineLimits = {
  maxRuns: 200,
  maxQueued: 10_000,
  durability: 'normal',
  leaseMs: 15_000,
  renewMs: 5_000,
  pollMs: 100,
  scanMs: 3_000,
  idleMs: 30_000,
  beganAfterMs: 100,
  cancelGraceMs: 10_000,
  maxCommitAttempts: 5,
  commitRetryMs: 100,
};

/** Why this process stopped executing a run. */
export type Departure =
  | { readonly kind: 'ended'; readonly end: Pick<RunRecord, 'status' | 'outcome'> }
  /** Another process owns the lease: there is nothing to release. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'idle' | 'closed'; readonly release: Release };

export interface ActiveRunParts {
  readonly commits: CommitQueue;
  readonly interpret: (run: RunRecord, scope: RunScope) => Promise<RunEnd>;
  readonly runActivity: RunActivity;
  readonly timers: Timers;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly limits: EngineLimits;
  readonly onDeparture: (run: LeasedRun, departure: Departure) => void;
  readonly onProgress: (runId: string) => void;
  /** The lease may be over: nothing begins until it is renewed. */
  readonly onDoubt: () => void;
}

/** A run as the engine knows it when it departs. */
export interface LeasedRun {
  readonly runId: string;
  readonly record: RunRecord;
  readonly lease: Lease;
}

export interface LoadedRun extends WholeRun {
  readonly lease: Lease;
}

/** Where the engine may die, for who tests that it may: each is passed by a run that has something of everything. */
export const embeddedFaultPoints = [
  'engine.claim.before',
  'engine.claim.after',
  'engine.load.after',
  'engine.dispatch.before',
  'engine.activity.after',
  'engine.commit.before',
  'engine.commit.after',
  'engine.end.before',
  'engine.end.after',
  'engine.request.seen',
  'engine.signal.seen',
  'engine.wait.over',
  'engine.renew.before',
  'engine.renew.after',
  'engine.release.before',
  'engine.release.after',
] as const;
