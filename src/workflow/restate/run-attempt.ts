import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import type { Log, ProcessIdentity, Timers } from '../../kernel/index.ts';
import type { ActivityName } from '../engine/run-scope.ts';
import type { JournalEntry, Lease, RunRecord, RunStore } from '../engine/run-store.ts';
import { RunCancelledError, RunIsTakenError, RunLetGoError } from '../errors.ts';
import { generations, standingEntries, type KeyEntry } from '../interpret/index.ts';
import { type RestateEngineParts, RunStopped } from './restate-engine.ts';

interface RunAttemptParts extends Pick<
  RestateEngineParts,
  'store' | 'runActivity' | 'timers' | 'log' | 'limits'
> {
  readonly leases: WorkerLeases;
}

/**
 * One attempt of a worker at a run: from when Restate gives it until it is over, suspended or taken
 * away. Holds the lease meanwhile, and ends what it began.
 */
export class RunAttempt {
  readonly notes: RunNotes;
  readonly #parts: RunAttemptParts;
  readonly #run: RunRecord;
  readonly #generationOf: (key: string) => number;
  readonly #lease: Lease;
  readonly #abort: AbortController;
  readonly #underway = new Set<Promise<unknown>>();
  #stopWaitingTimer: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Throws `workflow.run_is_taken` when another worker has the run; Restate gives it again later. */
  static async begin(
    parts: RunAttemptParts,
    run: RunRecord,
    entries: readonly JournalEntry[],
  ): Promise<RunAttempt> {
    const abort = new AbortController();
    const lose = (): void => abort.abort(new RunLetGoError(run.runId));
    const lease = await parts.leases.take(run.runId, lose);
    if (!lease) throw new RunIsTakenError(run.runId);
    return new RunAttempt(parts, { run, entries, lease, abort });
  }

  private constructor(
    parts: RunAttemptParts,
    begun: {
      run: RunRecord;
      entries: readonly JournalEntry[];
      lease: Lease;
      abort: AbortController;
    },
  ) {
    this.#parts = parts;
    this.#run = begun.run;
    this.#generationOf = generations(begun.entries);
    this.#lease = begun.lease;
    this.#abort = begun.abort;
    this.notes = new RunNotes({
      store: parts.store,
      lease: begun.lease,
      entries: begun.entries,
      // Claiming a queued run has made it a running one.
      status: begun.run.status === 'queued' ? 'running' : begun.run.status,
      durability: parts.limits.durability,
      onLost: (error) => {
        parts.log.warn('run let go', { runId: begun.run.runId, error });
        this.#abort.abort(new RunLetGoError(begun.run.runId));
      },
    });
  }

  /** Throws when this worker has the run no more. */
  checkHeld(): void {
    if (this.#abort.signal.aborted || this.#closing) throw new RunStopped('lost');
  }

  async perform(key: string, activity: ActivityName, input: Json): Promise<Json> {
    this.checkHeld();
    const { timers, runActivity, limits } = this.#parts;
    const atMs = timers.now();
    const stopTimer = timers.after(limits.beganAfterMs, () =>
      this.notes.note({ kind: 'began', key, atMs }),
    );
    const result = runActivity({
      runId: this.#run.runId,
      callerId: this.#run.callerId,
      key,
      activity,
      input,
      generation: this.#generationOf(key),
      meta: this.#run.meta,
      signal: this.#abort.signal,
      onProgress: () => {},
    });
    this.#underway.add(result);
    try {
      return await result;
    } catch (error) {
      // Activities learn that the run goes on elsewhere; the coroutine, that it ends here.
      if (error instanceof RunLetGoError) throw new RunStopped('lost');
      throw error;
    } finally {
      stopTimer();
      this.#underway.delete(result);
    }
  }

  /** Shown after a while only: a run that is replayed begins many waits that are over already. */
  showWaiting(isWaiting: boolean): void {
    this.#stopWaitingTimer?.();
    this.#stopWaitingTimer = undefined;
    if (!isWaiting) return this.notes.setStatus('running');
    const { timers, limits } = this.#parts;
    this.#stopWaitingTimer = timers.after(limits.waitingAfterMs, () => {
      this.notes.setStatus('waiting');
    });
  }

  /** The run is over: what is still under way is aborted and has a while to end. */
  async end(status: RunStatus, outcome: Json): Promise<void> {
    if (this.#closing) throw new RunStopped('lost');
    this.#abort.abort(new RunCancelledError(this.#run.runId, this.#run.requestReason));
    this.#closing = this.#close(async () => {
      await this.notes.end(status, outcome);
      await this.#parts.leases.giveBack(this.#lease, true);
    });
    return this.#closing;
  }

  /**
   * The attempt is over and the run is not. What is under way is let come to its end, which the effects
   * ledger then knows: cut off, its outcome would be unknown. No other worker owns the run meanwhile.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close(async () => {
      await this.notes.settle();
      await this.#parts.leases.giveBack(this.#lease, false);
    });
    return this.#closing;
  }

  /** This worker has to go: what is under way after that long is aborted. */
  async leave(graceMs: number): Promise<void> {
    const stopTimer = this.#parts.timers.after(graceMs, () =>
      this.#abort.abort(new RunLetGoError(this.#run.runId)),
    );
    await this.close();
    stopTimer();
  }

  async #close(finish: () => Promise<void>): Promise<void> {
    this.#stopWaitingTimer?.();
    if (this.#underway.size > 0) {
      await Promise.race([Promise.allSettled(this.#underway), this.#whileAfterAbort()]);
    }
    await finish();
  }

  #whileAfterAbort(): Promise<void> {
    const { timers, limits } = this.#parts;
    const { signal } = this.#abort;
    return new Promise((resolve) => {
      const wait = (): void => void timers.after(limits.cancelGraceMs, resolve);
      if (signal.aborted) wait();
      else signal.addEventListener('abort', wait, { once: true });
    });
  }
}

export interface RunNotesParts {
  readonly store: RunStore;
  readonly lease: Lease;
  /** What the store's journal holds already. */
  readonly entries: readonly JournalEntry[];
  readonly status: RunStatus;
  readonly durability: 'normal' | 'full';
  /** Called once, when nothing more can be written: the lease is gone or the store is broken. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Copies what happened in a run into the store's journal, in order and each thing once: a run that
 * Restate replays goes through all of it again. What is noted in one tick, or while a
 * batch is being written, becomes one batch.
 */
export class RunNotes {
  readonly #parts: RunNotesParts;
  readonly #known: Set<string>;
  #queue: JournalEntry[] = [];
  #status: RunStatus;
  #writtenStatus: RunStatus;
  #writing: Promise<void> | undefined;
  #isLost = false;

  constructor(parts: RunNotesParts) {
    this.#parts = parts;
    this.#known = new Set(standingEntries(parts.entries).map(nameOf));
    this.#status = parts.status;
    this.#writtenStatus = parts.status;
  }

  note(entry: KeyEntry): void {
    const name = nameOf(entry);
    if (this.#known.has(name)) return;
    this.#known.add(name);
    this.#queue.push(entry);
    this.#flush();
  }

  setStatus(status: RunStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#flush();
  }

  /** Writes the last entries, and the outcome of the run with them. */
  async end(status: RunStatus, outcome: Json | undefined): Promise<void> {
    await this.settle();
    if (this.#isLost) return;
    this.#isLost = true;
    const { store, lease, durability } = this.#parts;
    const entries = this.#queue.splice(0);
    const end = outcome === undefined ? { status } : { status, outcome };
    await store.commit([{ lease, entries, ...end }], durability);
  }

  /** Everything noted so far is written. */
  async settle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #flush(): void {
    if (this.#isLost) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#queue.length > 0 || this.#status !== this.#writtenStatus) this.#flush();
    });
  }

  async #write(): Promise<void> {
    // What comes in this tick is written with it.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const { store, lease, durability } = this.#parts;
    const entries = this.#queue.splice(0);
    const status = this.#status;
    try {
      const change = status === this.#writtenStatus ? {} : { status };
      const { lost } = await store.commit([{ lease, entries, ...change }], durability);
      this.#writtenStatus = status;
      if (lost.length > 0) this.#lose(new Error('the lease of the run is gone'));
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    this.#isLost = true;
    this.#writtenStatus = this.#status;
    this.#queue = [];
    this.#parts.onLost(error);
  }
}

function nameOf({ kind, key }: KeyEntry): string {
  return `${kind} ${key}`;
}

export interface WorkerLeasesParts {
  readonly store: RunStore;
  readonly identity: ProcessIdentity;
  /** Tells this worker from others of the same process. */
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly timers: Timers;
  readonly log: Log;
}

interface Held {
  readonly lease: Lease;
  readonly onLost: () => void;
}

/** The leases of the runs a worker executes, renewed in time. */
export class WorkerLeases {
  readonly #parts: WorkerLeasesParts;
  readonly #held = new Map<string, Held>();
  /** Leases being released: a new claim of the same run waits for them. */
  readonly #returning = new Map<string, Promise<void>>();
  #stopTimer: (() => void) | undefined;

  constructor(parts: WorkerLeasesParts) {
    this.#parts = parts;
  }

  /** Undefined when another worker owns the run. */
  async take(runId: string, onLost: () => void): Promise<Lease | undefined> {
    await this.#returning.get(runId);
    // Restate gave the run anew to this very process, whose earlier attempt does not know yet that it is over.
    if (this.#held.has(runId)) return undefined;
    const { store, identity, workerId, leaseMs } = this.#parts;
    const [lease] = await store.claim([runId], { id: workerId, ...identity, leaseMs });
    if (lease === undefined) return undefined;
    this.#held.set(runId, { lease, onLost });
    this.#schedule();
    return lease;
  }

  /** Gives a lease back. From here on only Restate drives the run. */
  async giveBack(lease: Lease, isOver: boolean): Promise<void> {
    const { runId } = lease;
    if (this.#held.get(runId)?.lease.epoch !== lease.epoch) return;
    this.#held.delete(runId);
    if (isOver) return;
    const returned = this.#release(lease);
    this.#returning.set(runId, returned);
    await returned;
    this.#returning.delete(runId);
  }

  /** After the worker took its last run. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #release(lease: Lease): Promise<void> {
    const { store, log } = this.#parts;
    await store
      .release([{ lease, idle: { untilMs: null, signals: Number.MAX_SAFE_INTEGER } }])
      .catch((error: unknown) => log.warn('lease not given back', { runId: lease.runId, error }));
  }

  #schedule(): void {
    this.#stopTimer ??= this.#parts.timers.after(this.#parts.renewMs, () => {
      this.#stopTimer = undefined;
      void this.#renew().finally(() => {
        if (this.#held.size > 0) this.#schedule();
      });
    });
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    try {
      const renewed = await this.#parts.store.renew(held.map(({ lease }) => lease));
      const valid = new Map(renewed.map((lease) => [lease.runId, lease.epoch]));
      for (const { lease, onLost } of held) {
        const isValid = valid.get(lease.runId) === lease.epoch;
        if (!isValid && this.#held.get(lease.runId)?.lease.epoch === lease.epoch) onLost();
      }
    } catch (error) {
      this.#parts.log.warn('leases not renewed', { error });
    }
  }
}
