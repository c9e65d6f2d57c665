import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import { generations } from '../embedded/generations.ts';
import type { ActivityName } from '../engine/run-scope.ts';
import type { JournalEntry, Lease, RunRecord } from '../engine/run-store.ts';
import { RunCancelledError, RunIsTakenError, RunLetGoError } from '../errors.ts';
import type { RestateEngineParts } from './restate-engine.ts';
import { RunNotes } from './run-notes.ts';
import { RunStopped } from './run-stopped.ts';
import type { WorkerLeases } from './worker-leases.ts';

export interface RunAttemptParts extends Pick<
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
      // Taking a run that stood in line has made it a running one.
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
      // Activities are told that the run goes on elsewhere; the coroutine, that it does not go on here.
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
   * ledger then knows: cut off, nobody would know whether it happened. Nobody else has the run meanwhile.
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
