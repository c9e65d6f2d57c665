import type { FaultPoint, Log, Timers } from '../../kernel/index.ts';
import type { RunStore } from '../engine/run-store.ts';
import type { ActiveRun } from './active-run.ts';
import type { EngineLimits, ChangeListener } from './embedded-engine.ts';

/** The same complaint about the store comes no more often than this. */
const complaintMs = 10_000;

interface EngineWatchParts {
  readonly store: RunStore;
  readonly timers: Timers;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly limits: EngineLimits;
  /** The runs this process executes. */
  readonly runs: ReadonlyMap<string, ActiveRun>;
  /** Whether a slot is free that no queued run waits for. */
  readonly hasFreeSlot: () => boolean;
  /** Runs that are left alone here for now, and found all the same. */
  readonly avoided: () => number;
  /** Whether queued runs need slots that runs hold which only wait. */
  readonly isCrowded: () => boolean;
  /** Whether there are listeners for other processes' writes. */
  readonly isWatched: () => boolean;
  /** Enqueues runs; returns how many were not queued yet. */
  readonly enqueue: (runIds: readonly string[]) => number;
  readonly onOthersWrote: () => void;
}

/**
 * What an engine does by the clock: sees what others wrote, renews leases, looks for unclaimed runs,
 * releases those that only wait. Stops ticking while there is nothing to watch.
 */
export class EngineWatch {
  readonly #parts: EngineWatchParts;
  #stopTimer: (() => void) | undefined;
  #isTaking = false;
  #isClosed = false;
  #revision: number | undefined;
  #renewAtMs = 0;
  #scanAtMs = 0;
  /** When runs have something to do that were let go here. */
  readonly #wakeTimes = new Set<number>();
  readonly #renewal = new Repeatable(() => this.#renew());
  readonly #search = new Repeatable(() => this.#scan());
  readonly #reading = new Repeatable(() => this.#readNotices());
  #mayBeMore = false;
  #complainAtMs = 0;

  constructor(parts: EngineWatchParts) {
    this.#parts = parts;
  }

  /** Looks for unclaimed runs, from now on. */
  start(): void {
    this.#isTaking = true;
    this.#scanAtMs = 0;
    this.keepGoing();
    void this.scan();
  }

  stopTaking(): void {
    this.#isTaking = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** To be called when there is something new to watch. */
  keepGoing(): void {
    // What came for a run while it was being read is seen at the next look.
    this.#revision = undefined;
    if (this.#stopTimer || this.#isClosed) return;
    this.#renewAtMs = Math.max(
      this.#renewAtMs,
      this.#parts.timers.now() + this.#parts.limits.renewMs,
    );
    this.#arm();
  }

  /** Something was written for runs of this process, or for unclaimed ones. */
  look(): void {
    void this.#reading.run();
    if (this.#isTaking) void this.scan();
  }

  /** A run was let go that has something to do at this time. */
  wakeAt(ms: number | null): void {
    // Those that find no place here are found by the next look that is due anyway.
    if (ms !== null && this.#wakeTimes.size < this.#parts.limits.maxQueued) this.#wakeTimes.add(ms);
  }

  /** A slot is free and no run is queued. */
  onFreeSlot(): void {
    if (this.#isTaking && this.#mayBeMore) void this.scan();
  }

  /** Looks once for unclaimed runs and enqueues them; returns how many. */
  scan(): Promise<number> {
    return this.#search.run();
  }

  /** Renews all leases; runs that lost their lease are notified. */
  renew(): Promise<void> {
    return this.#renewal.run();
  }

  #arm(): void {
    this.#stopTimer = this.#parts.timers.after(this.#parts.limits.pollMs, () => {
      this.#stopTimer = undefined;
      if (this.#isClosed) return;
      void this.#tick().finally(() => {
        const { runs, isWatched } = this.#parts;
        const isNeeded = this.#isTaking || runs.size > 0 || isWatched();
        if (isNeeded && !this.#isClosed && !this.#stopTimer) this.#arm();
      });
    });
  }

  async #tick(): Promise<void> {
    const { timers, runs, limits } = this.#parts;
    const nowMs = timers.now();
    if (await this.#othersWrote()) {
      this.#parts.onOthersWrote();
      this.look();
    } else if (this.#isTaking && this.#isTimeToScan(nowMs)) void this.scan();
    for (const run of runs.values()) run.onTick(nowMs);
    this.#letIdleGo(nowMs);
    if (nowMs >= this.#renewAtMs) {
      this.#renewAtMs = nowMs + limits.renewMs;
      void this.renew();
    }
  }

  #isTimeToScan(nowMs: number): boolean {
    let isTime = nowMs >= this.#scanAtMs;
    for (const ms of this.#wakeTimes) if (ms <= nowMs) isTime = this.#wakeTimes.delete(ms);
    return isTime;
  }

  async #othersWrote(): Promise<boolean> {
    try {
      const revision = await this.#parts.store.revision();
      const isNew = revision !== this.#revision;
      this.#revision = revision;
      return isNew;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  #letIdleGo(nowMs: number): void {
    const { runs, limits, isCrowded } = this.#parts;
    // Unless this process looks for runs, no process would claim it again in time.
    if (!this.#isTaking && !isCrowded()) return;
    const patienceMs = isCrowded() ? 0 : limits.idleMs;
    for (const run of runs.values()) {
      const sinceMs = run.idleSinceMs;
      if (sinceMs !== undefined && nowMs - sinceMs >= patienceMs) run.leave('idle');
    }
  }

  async #scan(): Promise<number> {
    const { store, timers, limits, runs, hasFreeSlot, avoided, enqueue } = this.#parts;
    this.#scanAtMs = timers.now() + limits.scanMs;
    const canFreeSlot = runs.values().some(({ idleSinceMs }) => idleSinceMs !== undefined);
    // What is found and cannot be taken would only be found again and again.
    this.#mayBeMore = true;
    if (!hasFreeSlot() && !canFreeSlot) return 0;
    try {
      const limit = Math.min(limits.maxRuns, limits.maxQueued);
      const found = await store.unclaimed('embedded', limit + avoided());
      this.#mayBeMore = found.length >= limit;
      return this.#isClosed ? 0 : enqueue(found);
    } catch (error) {
      this.#complain(error);
      return 0;
    }
  }

  async #readNotices(): Promise<void> {
    const { store, runs } = this.#parts;
    if (runs.size === 0) return;
    try {
      const runIds = Array.from(runs.values(), ({ runId }) => runId);
      for (const notice of await store.notices(runIds)) {
        const run = runs.get(notice.runId);
        if (!run) continue;
        if (notice.signals > run.signalCount) await this.#readSignals(run);
        run.onNotice(notice);
      }
    } catch (error) {
      this.#complain(error);
    }
  }

  /** One run whose signals cannot be read must not keep others from what came for them. */
  async #readSignals(run: ActiveRun): Promise<void> {
    try {
      run.onSignals(await this.#parts.store.signals(run.runId));
    } catch (error) {
      this.#complain(error);
    }
  }

  async #renew(): Promise<void> {
    const { store, runs, faultPoint } = this.#parts;
    const asked = [...runs.values()];
    if (asked.length === 0) return;
    try {
      faultPoint('engine.renew.before');
      const renewed = await store.renew(asked.map(({ lease }) => lease));
      faultPoint('engine.renew.after');
      const leases = new Map(renewed.map((lease) => [lease.runId, lease]));
      for (const run of asked) {
        const lease = leases.get(run.runId);
        if (lease) run.onRenewed(lease);
        else run.onNotRenewed();
      }
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    const nowMs = this.#parts.timers.now();
    if (nowMs < this.#complainAtMs) return;
    this.#complainAtMs = nowMs + complaintMs;
    this.#parts.log.error('run store failed, retrying', { error });
  }
}

/**
 * Work with one execution at a time. A request that arrives during one cannot know whether that saw its
 * cause, so the work is done once more for all such requests.
 */
export class Repeatable<Result> {
  readonly #work: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #again: Promise<Result> | undefined;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  run(): Promise<Result> {
    if (!this.#running) {
      this.#running = this.#work().finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#again ??= this.#afterwards(this.#running);
    return this.#again;
  }

  async #afterwards(running: Promise<Result>): Promise<Result> {
    await running.catch(() => {});
    this.#again = undefined;
    return this.run();
  }
}

/** Listeners for changes of runs. */
export class RunListeners {
  readonly #log: Log;
  /** By the run they want to hear of; null for all. */
  readonly #listeners = new Map<string | null, Set<ChangeListener>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** For how many runs there are some. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Until the returned function is called. */
  add(listener: ChangeListener, runId: string | null): () => void {
    // A function of its own, so that the same listener can be given twice.
    const own: ChangeListener = (...news) => listener(...news);
    const others = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, others.add(own));
    return () => {
      if (others.delete(own) && others.size === 0) this.#listeners.delete(runId);
    };
  }

  tell(runId: string | null, isTurn = false): void {
    if (runId === null) {
      // Listeners added from now on are notified next time.
      const told = [...this.#listeners.values()];
      for (const listeners of told) this.#tellThese(listeners, null, isTurn);
      return;
    }
    this.#tellThese(this.#listeners.get(runId), runId, isTurn);
    this.#tellThese(this.#listeners.get(null), runId, isTurn);
  }

  /** A listener that throws is a bug of its own and must not become one of the run. */
  #tellThese(
    listeners: ReadonlySet<ChangeListener> | undefined,
    runId: string | null,
    isTurn: boolean,
  ): void {
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        listener(runId, isTurn);
      } catch (error) {
        this.#log.error('run listener threw', { runId, error });
      }
    }
  }
}
