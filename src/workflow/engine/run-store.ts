import type { Caller } from '../../contract/caller/index.ts';
import type { Json, Plan } from '../../contract/plan/index.ts';
import type { EngineName, RunFilter, RunStatus, RunSummary } from '../../contract/run/index.ts';

/** What happened in a run, in order. Entries are only ever added. */
export type JournalEntry =
  /** The result of a key. */
  | { readonly kind: 'settled'; readonly key: string; readonly value: Json }
  /** A sleep, or the time limit of a wait, was asked for and is over at this time. */
  | { readonly kind: 'due'; readonly key: string; readonly atMs: number }
  /** An activity began: for display; written late and only for long ones. */
  | { readonly kind: 'began'; readonly key: string; readonly atMs: number }
  /** The keys of these steps, and of all within them, count as never asked for: they run again. */
  | { readonly kind: 'forgotten'; readonly paths: readonly string[] };

export interface RunRecord extends RunSummary {
  readonly callerId: string;
  readonly plan: Plan;
  readonly input: Readonly<Record<string, Json>>;
  /** Final outcome; undefined until the run has ended. */
  readonly outcome?: Json;
  /** Request to the process that executes it. */
  readonly request: 'cancel' | 'pause' | null;
  readonly requestReason: string | null;
  /** After this time it counts as failed, ms since the epoch; null for never. */
  readonly deadlineMs: number | null;
  readonly meta: Readonly<Record<string, unknown>>;
  /** How many signals it has got. */
  readonly signals: number;
}

/** A run with all that was recorded of it. */
export interface WholeRun {
  readonly record: RunRecord;
  readonly entries: readonly JournalEntry[];
  readonly signals: readonly SignalRecord[];
}

/** The right to execute a run: exclusive until `untilMs`; afterwards `epoch` tells two owners apart. */
export interface Lease {
  readonly runId: string;
  readonly epoch: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly untilMs: number;
}

/** A lease that is given back. */
export interface Release {
  readonly lease: Lease;
  /**
   * Given when the run has nothing to do before `untilMs` (null: ever) unless something comes for it.
   * `signals` is how many it has seen: with more there, it has something to do at once.
   */
  readonly idle?: { readonly untilMs: number | null; readonly signals: number };
}

/** What may have come for a run from outside. */
export interface RunNotice {
  readonly runId: string;
  readonly request: 'cancel' | 'pause' | null;
  readonly requestReason: string | null;
  /** How many signals it has got. */
  readonly signals: number;
}

export interface SignalRecord {
  readonly name: string;
  readonly payload: Json;
}

/**
 * Where runs are kept. Several processes have it open at once.
 *
 * 1. A run has at most one valid lease. A lease is gone when its time is over, or at once when the
 *    process that had it is dead.
 * 2. `commit` keeps all of a batch or nothing; entries of a run whose lease is gone are left out and
 *    named, and then nothing of that run was written.
 * 3. What `commit` returned for survives the death of every process; with `full` also the loss of power, with
 *    `soon` a moment later. What survives is always all that was committed up to some moment.
 */
export interface RunStore {
  /**
   * Settles when the run survives what it is to survive. `isNew` is false when a run with this idempotency key
   * of this caller exists: then nothing is written.
   */
  create(
    run: NewRunRecord,
    /** The new run can be executed: what that commits survives nothing that the run itself does not. */
    onStored?: (runId: string) => void,
  ): Promise<{ readonly runId: string; readonly isNew: boolean }>;
  /** Undefined also when several begin like that. */
  find(caller: Caller | null, runIdOrPrefix: string): Promise<RunRecord | undefined>;
  /** The same with its journal and its signals. An entry that came meanwhile may be there, never one that answers a signal that is not. */
  findWhole(caller: Caller | null, runIdOrPrefix: string): Promise<WholeRun | undefined>;
  /** The same without what may be big. */
  summary(caller: Caller, runIdOrPrefix: string): Promise<RunSummary | undefined>;
  list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]>;
  journal(runId: string): Promise<readonly JournalEntry[]>;
  signals(runId: string): Promise<readonly SignalRecord[]>;

  /**
   * Runs of this engine without an owner that have something to do, oldest first: not over, not
   * paused, and not waiting for a time or a signal that has not come. Those of other places only `anywhere`.
   */
  unclaimed(
    engine: EngineName,
    limit: number,
    where?: 'here' | 'anywhere',
  ): Promise<readonly string[]>;
  /** Leases of those runs that have no owner and are not over, in one transaction. */
  claim(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]>;
  /** The leases that are still valid, with their new ends. */
  renew(leases: readonly Lease[]): Promise<readonly Lease[]>;
  /** Those that are gone already are passed over. */
  release(releases: readonly Release[]): Promise<void>;
  /** What came for these runs; those that do not exist any more are left out. */
  notices(runIds: readonly string[]): Promise<readonly RunNotice[]>;
  commit(changes: readonly RunChange[], durability: CommitDurability): Promise<CommitReport>;

  /** Settles when all that was committed before survives the loss of power. */
  synced(): Promise<void>;

  /** The first value of a name counts; false when there was one. */
  signal(runId: string, signal: SignalRecord): Promise<boolean>;
  /** Null takes a pause back; nothing takes a cancellation back, and a run that is over stays as it is. */
  request(runId: string, request: 'cancel' | 'pause' | null, reason?: string): Promise<void>;
  /**
   * Adds to the journal of a run without a lease (retry: `forgotten`), only while it has no owner. Its
   * request, and its outcome when `status` is no end, are removed; a cancellation only of a
   * run that is over.
   */
  amend(runId: string, change: Amendment): Promise<boolean>;
  /** Changes whenever another process may have written something; cheap to ask often. */
  revision(): Promise<number>;
  /**
   * Runs that ended before this time are removed, with their effects and approvals and with what says that
   * they made artifacts: in one transaction, so that nothing is orphaned. Returns the removed runs.
   */
  prune(endedBeforeMs: number, limit: number): Promise<readonly PrunedRun[]>;
  /** The same for runs of a caller by their ids; one that has not ended stays. */
  remove(caller: Caller, runIds: readonly string[]): Promise<readonly PrunedRun[]>;
}

export interface PrunedRun {
  readonly runId: string;
  readonly callerId: string;
}

export interface NewRunRecord {
  readonly runId: string;
  readonly callerId: string;
  readonly plan: Plan;
  readonly input: Readonly<Record<string, Json>>;
  readonly engine: EngineName;
  readonly createdAtMs: number;
  readonly deadlineMs: number | null;
  /** The run it takes over from; what that one made counts as made by it, too. */
  readonly forkedFrom: string | null;
  /**
   * Where it works, as the opener of the store names directories: relative paths and a project's servers mean
   * something there. Others are not offered it by `unclaimed`. Without one any process may claim it.
   */
  readonly place?: string | null;
  readonly idempotencyKey: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
  /** What a fork takes over. */
  readonly journal?: readonly JournalEntry[];
  readonly signals?: readonly SignalRecord[];
  /** Default `full`: the start was acknowledged as durable. */
  readonly durability?: 'normal' | 'full';
}

/** Who executes: a process, by its number and when it started, and one engine in it. */
export interface RunOwner {
  readonly id: string;
  readonly pid: number;
  readonly processStart: string;
  /** How long its leases last unless they are renewed. */
  readonly leaseMs: number;
}

export interface RunChange {
  readonly lease: Lease;
  readonly entries: readonly JournalEntry[];
  /** The run's new status, where it changes; ends carry the outcome and give the lease back. */
  readonly status?: RunStatus;
  readonly outcome?: Json;
}

export type CommitDurability = 'normal' | 'soon' | 'full';

export interface CommitReport {
  /** Runs whose lease was gone. */
  readonly lost: readonly string[];
}

export interface Amendment {
  readonly entries: readonly JournalEntry[];
  readonly status: RunStatus;
  readonly dropSignals?: readonly string[];
  /** How the run was when this was decided: nothing is changed in one that went on meanwhile. */
  readonly seen?: { readonly status: RunStatus; readonly entries?: number };
  readonly deadlineMs?: number | null;
}
