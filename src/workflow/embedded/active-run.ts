import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import type { ActivityName, RunScope, Settled } from '../engine/run-scope.ts';
import type { Lease, RunChange, RunNotice, RunRecord, SignalRecord } from '../engine/run-store.ts';
import { RunCancelledError, RunLetGoError, RunTimedOutError } from '../errors.ts';
import { dueTimes, generations, RecordedOrder, settledEntries } from '../interpret/index.ts';
import { type Committer, UnsavedChanges } from './commit-queue.ts';
import type { UnderwayActivity, ActiveRunParts, Departure, LoadedRun } from './embedded-engine.ts';
import { PendingWaits, failure, type FinalEnd, RunActivities } from './pending-work.ts';

/** Thrown by `next` when this process is to have nothing more to do with the run. */
class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** Results a run may have that are not kept yet; with more it waits for the next commit. */
const maxAhead = 64;

/**
 * running · pausing: what is under way may finish, nothing begins · ending: `end` is to be committed once
 * nothing is under way · leaving: the lease is to be given back then, and what settles meanwhile is dropped · over.
 */
type Phase = 'running' | 'pausing' | 'ending' | 'leaving' | 'over';

/**
 * One run while this process executes it: the scope of its coroutine.
 *
 * 1. What settles goes to `#unsaved`, with the next commit to the store, and to the coroutine meanwhile. Activities
 *    that do more than read wait for the store (`ActivityRequest.recorded`), and so does everything outside the run.
 * 2. Nothing begins unless the phase is `running` and the lease is known to last.
 * 3. `onDeparture` is called once, and afterwards nothing of the run is written.
 */
export class ActiveRun implements RunScope, Committer {
  readonly runId: string;
  readonly record: RunRecord;
  readonly #parts: ActiveRunParts;
  readonly #recorded: RecordedOrder;
  readonly #dueTimes: ReadonlyMap<string, number>;
  readonly #signals: Map<string, Json>;
  readonly #waits: PendingWaits;
  readonly #activities: RunActivities;
  readonly #unsaved: UnsavedChanges;
  #ready: Settled[] = [];
  #wake:
    | { resolve: (settled: readonly Settled[]) => void; reject: (reason: Error) => void }
    | undefined;
  #phase: Phase = 'running';
  #lease: Lease;
  #end: FinalEnd | undefined;
  #departure: 'idle' | 'closed' = 'closed';
  /** When it has something to do again by itself, once it was left. */
  #wakeMs: number | null = null;
  #graceEndsMs = Infinity;
  #idleSinceMs: number | undefined;

  constructor(loaded: LoadedRun, parts: ActiveRunParts) {
    this.runId = loaded.record.runId;
    this.record = loaded.record;
    this.#parts = parts;
    this.#lease = loaded.lease;
    this.#unsaved = new UnsavedChanges(loaded.record.status);
    this.#recorded = new RecordedOrder(settledEntries(loaded.entries));
    this.#dueTimes = dueTimes(loaded.entries);
    this.#signals = new Map(loaded.signals.map(({ name, payload }) => [name, payload]));
    this.#waits = new PendingWaits({
      timers: parts.timers,
      settle: (key, value) => {
        parts.faultPoint('engine.wait.over');
        this.#settle(key, value);
      },
    });
    this.#activities = new RunActivities({
      runId: this.runId,
      callerId: loaded.record.callerId,
      meta: loaded.record.meta,
      generationOf: generations(loaded.entries),
      runActivity: parts.runActivity,
      commits: parts.commits,
      timers: parts.timers,
      faultPoint: parts.faultPoint,
      recorded: () => this.#unsaved.untilKept(),
      mayBegin: () => this.#mayBegin(),
      onBegin: () => this.#unsaved.setStatus('running'),
      onSettled: (key, value) => this.#settle(key, value),
      onBug: (error) => this.#fail(error),
      onStopped: () => this.#proceed(),
      onProgress: parts.onProgress,
    });
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Since when it has had nothing to do but wait; undefined while it has. */
  get idleSinceMs(): number | undefined {
    return this.#phase === 'running' ? this.#idleSinceMs : undefined;
  }

  get signalCount(): number {
    return this.#signals.size;
  }

  start(): void {
    const { request, requestReason } = this.record;
    this.#applyRequest(request, requestReason);
    this.#checkDeadline(this.#parts.timers.now());
    if (this.#phase !== 'running') return this.#proceed();
    void this.#execute();
  }

  underway(): readonly UnderwayActivity[] {
    return this.#activities.list();
  }

  // What the coroutine asks for.

  hasResult(key: string): boolean {
    return this.#recorded.has(key);
  }

  step(key: string, activity: ActivityName, input: Json): void {
    if (this.#recorded.ask(key)) return;
    this.#activities.ask({ key, activity, input });
  }

  sleep(key: string, ms: number): void {
    if (this.#recorded.ask(key)) return;
    this.#waits.sleep(key, this.#dueMs(key, ms));
  }

  waitForSignal(key: string, name: string, { timeoutMs }: { readonly timeoutMs?: number }): void {
    if (this.#recorded.ask(key)) return;
    const payload = this.#signals.get(name);
    if (payload !== undefined) return this.#settle(key, { payload });
    const dueMs = timeoutMs === undefined ? undefined : this.#dueMs(key, timeoutMs);
    this.#waits.waitFor(key, name, dueMs);
  }

  next(): Promise<readonly Settled[]> {
    if (this.#phase !== 'running' && this.#phase !== 'pausing')
      return Promise.reject(new RunStopped());
    const recorded = this.#recorded.take();
    if (recorded.length > 0) return Promise.resolve(recorded);
    return new Promise((resolve, reject) => {
      this.#wake = { resolve, reject };
      this.#proceed();
    });
  }

  // What comes from outside.

  onRenewed(lease: Lease): void {
    this.#lease = lease;
    this.#activities.beginHeld();
  }

  onNotice({ request, requestReason }: RunNotice): void {
    this.#applyRequest(request, requestReason);
    this.#proceed();
  }

  onSignals(signals: readonly SignalRecord[]): void {
    // What the run does not get any more must not count as seen when it is let go.
    if (this.#phase !== 'running' && this.#phase !== 'pausing') return;
    for (const { name, payload } of signals) {
      if (this.#signals.has(name)) continue;
      this.#parts.faultPoint('engine.signal.seen');
      this.#signals.set(name, payload);
      this.#waits.deliver(name, payload);
    }
  }

  /** To be called now and then: notes what takes long, and ends what took too long. */
  onTick(nowMs: number): void {
    this.#noteBegun(nowMs);
    this.#checkDeadline(nowMs);
    if (nowMs >= this.#graceEndsMs) this.#activities.abandon();
    if (this.#phase !== 'running') this.#proceed();
  }

  /** Gives the run up without recording anything about it; `idle`: until something comes for it. */
  leave(departure: 'idle' | 'closed'): void {
    if (this.#phase !== 'running' && this.#phase !== 'pausing') return;
    this.#departure = departure;
    this.#wakeMs = this.#phase === 'pausing' ? null : this.#waits.nextDueMs;
    this.#stop('leaving', () => new RunLetGoError(this.runId));
    this.#proceed();
  }

  /** Its lease was not renewed. What is being committed finds out by itself whether that is an end. */
  onNotRenewed(): void {
    if (!this.#unsaved.isCommitting) this.onLost();
  }

  onLost(): void {
    this.#depart({ kind: 'lost' });
  }

  onRefused(error: unknown): void {
    this.#parts.log.error('failed to commit run, releasing it', { runId: this.runId, error });
    this.#depart({ kind: 'refused', error });
  }

  // Committing.

  takeChange(): RunChange {
    const lease = this.#lease;
    const change = this.#unsaved.take(lease);
    if (this.#phase === 'over') return { lease, entries: [] };
    if (this.#phase === 'ending' && this.#end && this.#activities.size === 0) {
      this.#parts.faultPoint('engine.end.before');
      return { ...change, ...this.#end };
    }
    return change;
  }

  onCommitted(change: RunChange): void {
    this.#unsaved.onCommitted(change);
    if (this.#phase === 'over') return;
    if (change.outcome !== undefined && this.#end) {
      this.#parts.faultPoint('engine.end.after');
      return this.#depart({ kind: 'ended', end: this.#end });
    }
    this.#proceed();
  }

  async #execute(): Promise<void> {
    try {
      const { status, outcome } = await this.#parts.interpret(this.record, this);
      this.#finish({ status, outcome });
    } catch (error) {
      if (error instanceof RunStopped || this.#phase !== 'running') return;
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#parts.log.error('run failed by a bug', { runId: this.runId, error });
    this.#finish(failure(error));
  }

  #finish(end: FinalEnd): void {
    if (this.#phase !== 'running' && this.#phase !== 'pausing') return;
    this.#end = end;
    this.#stop('ending', () => new RunStopped('The run is over'));
    this.#proceed();
  }

  #applyRequest(request: RunNotice['request'], reason: string | null): void {
    if (request === 'cancel' && (this.#phase === 'running' || this.#phase === 'pausing')) {
      this.#parts.faultPoint('engine.request.seen');
      this.#end = { status: 'cancelled', outcome: { kind: 'cancelled', reason } };
      this.#stop('ending', () => new RunCancelledError(this.runId, reason));
    } else if (request === 'pause' && this.#phase === 'running') {
      this.#parts.faultPoint('engine.request.seen');
      this.#phase = 'pausing';
    } else if (request === null && this.#phase === 'pausing') {
      this.#phase = 'running';
      this.#unsaved.setStatus('running');
      this.#parts.commits.add(this);
      this.#activities.beginHeld();
    }
  }

  #checkDeadline(nowMs: number): void {
    const { deadlineMs } = this.record;
    if (deadlineMs === null || nowMs < deadlineMs) return;
    if (this.#phase !== 'running' && this.#phase !== 'pausing') return;
    const error = new RunTimedOutError(this.runId);
    this.#end = failure(error);
    this.#stop('ending', () => error);
  }

  /** The coroutine goes no further; activities are aborted and have a grace period. */
  #stop(phase: 'ending' | 'leaving', reason: () => Error): void {
    this.#phase = phase;
    this.#waits.clear();
    this.#graceEndsMs = this.#parts.timers.now() + this.#parts.limits.cancelGraceMs;
    this.#wake?.reject(new RunStopped());
    this.#wake = undefined;
    this.#activities.stop(reason);
    // Waiters see that it was stopped.
    this.#unsaved.letGo();
  }

  /** Does what is to be done next, if it can be done already. */
  #proceed(): void {
    switch (this.#phase) {
      case 'running':
        return this.#deliver();
      case 'pausing':
        if (this.#activities.size > 0 || this.#unsaved.isThere) return;
        if (this.#unsaved.status !== 'paused') return this.#setStatus('paused');
        return this.leave('idle');
      case 'ending':
        if (this.#activities.size === 0 && !this.#unsaved.isCommitting)
          this.#parts.commits.add(this);
        return;
      case 'leaving':
        if (this.#activities.size === 0 && !this.#unsaved.isThere) this.#giveBack();
        return;
      case 'over':
    }
  }

  #deliver(): void {
    if (!this.#wake) return;
    if (this.#ready.length > 0) {
      if (this.#unsaved.ahead > maxAhead) return;
      const { resolve } = this.#wake;
      const ready = this.#ready;
      this.#wake = undefined;
      this.#ready = [];
      this.#idleSinceMs = undefined;
      return resolve(ready);
    }
    if (!this.#activities.isIdle || this.#unsaved.isThere) return;
    if (this.#waits.size === 0) {
      return this.#fail(new Error('The coroutine waits although nothing is under way'));
    }
    this.#idleSinceMs ??= this.#parts.timers.now();
    this.#setStatus(this.#waits.sleeps > 0 ? 'running' : 'waiting');
  }

  #setStatus(status: RunStatus): void {
    this.#unsaved.setStatus(status);
    if (status !== this.#unsaved.status) this.#parts.commits.add(this);
  }

  #mayBegin(): boolean {
    if (this.#phase !== 'running') return false;
    if (this.#parts.timers.now() < this.#lease.untilMs) return true;
    this.#parts.onDoubt();
    return false;
  }

  #settle(key: string, value: Json): void {
    if (this.#phase === 'leaving' || this.#phase === 'over') return;
    this.#unsaved.add({ kind: 'settled', key, value });
    this.#ready.push({ key, value });
    // It is about to have something to do; released now, no process would know.
    this.#idleSinceMs = undefined;
    if (this.#unsaved.status === 'waiting') this.#unsaved.setStatus('running');
    if (this.#phase === 'ending') return;
    this.#parts.commits.add(this);
    this.#proceed();
  }

  /** When it is over: noted now, or as it was noted at first unless the clock was set back since. */
  #dueMs(key: string, ms: number): number {
    const noted = this.#dueTimes.get(key);
    const atMs = this.#parts.timers.now() + ms;
    if (noted !== undefined) return Math.min(noted, atMs);
    this.#unsaved.add({ kind: 'due', key, atMs });
    this.#parts.commits.add(this);
    return atMs;
  }

  #noteBegun(nowMs: number): void {
    if (this.#phase !== 'running') return;
    const long = this.#activities.takeLong(nowMs - this.#parts.limits.beganAfterMs);
    if (long.length > 0) {
      for (const entry of long) this.#unsaved.add(entry);
      this.#parts.commits.add(this);
    } else if (this.#unsaved.nextStatus && this.#activities.size > 0) {
      // It was waiting, has begun something since, and had nothing else to commit.
      this.#setStatus(this.#unsaved.nextStatus);
    }
  }

  #giveBack(): void {
    const kind = this.#departure;
    if (kind === 'closed') return this.#depart({ kind, release: { lease: this.#lease } });
    const { deadlineMs } = this.record;
    const due = [this.#wakeMs, deadlineMs].filter((ms) => ms !== null);
    const untilMs = due.length === 0 ? null : Math.min(...due);
    this.#depart({
      kind,
      release: { lease: this.#lease, idle: { untilMs, signals: this.#signals.size } },
    });
  }

  #depart(departure: Departure): void {
    if (this.#phase === 'over') return;
    if (this.#phase !== 'ending' && this.#phase !== 'leaving') {
      this.#stop('leaving', () => new RunLetGoError(this.runId));
    }
    this.#phase = 'over';
    this.#parts.onDeparture(this, departure);
  }
}
