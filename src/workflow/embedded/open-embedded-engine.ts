import { randomUUID } from 'node:crypto';
import { runDepth } from '../engine/run-scope.ts';
import { logRunBegan, logRunEnded } from '../engine/log-run.ts';
import type { Lease, Release, RunOwner } from '../engine/run-store.ts';
import type {
  ActiveRunParts,
  Departure,
  LeasedRun,
  ChangeListener,
  EmbeddedEngine,
  EmbeddedEngineParts,
  ExecutionEnd,
  UnderwayActivity,
} from './embedded-engine.ts';
import { ActiveRun } from './active-run.ts';
import { CommitQueue } from './commit-queue.ts';
import { EngineWatch, RunListeners } from './engine-watch.ts';
import { RunQueue } from './run-queue.ts';

/** A run that could not be read or written is left alone for this long: whatever is wrong stays so for a while. */
const avoidMs = 60_000;

/** Runs taken on in one transaction. */
const claimBatch = 256;

/** Nothing happens until a run is executed or `start` is called. */
export function openEmbeddedEngine(parts: EmbeddedEngineParts): EmbeddedEngine {
  return new Engine(parts);
}

interface Execution {
  readonly ended: Promise<ExecutionEnd>;
  readonly resolve: (end: ExecutionEnd) => void;
}

class Engine implements EmbeddedEngine {
  readonly #parts: EmbeddedEngineParts;
  readonly #commits: CommitQueue;
  readonly #watch: EngineWatch;
  readonly #runParts: ActiveRunParts;
  readonly #runs = new Map<string, ActiveRun>();
  /** Runs that are queued, being claimed or executed. */
  readonly #executions = new Map<string, Execution>();
  readonly #queue = new RunQueue();
  /** Whether a run was enqueued since the queue was last read. */
  #hasJoined = false;
  /** Until when runs are left alone that went wrong here. */
  readonly #avoided = new Map<string, number>();
  /** Why runs could not be taken on or written; empty nearly always. */
  readonly #troubles = new Map<string, unknown>();
  readonly #listeners: RunListeners;
  #owner: Promise<RunOwner> | undefined;
  #filling: Promise<void> | undefined;
  #isClosed = false;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(parts: EmbeddedEngineParts) {
    const { store, interpret, runActivity, timers, log, faultPoint, limits } = parts;
    this.#parts = parts;
    this.#listeners = new RunListeners(log);
    this.#commits = new CommitQueue({
      store,
      durability: limits.durability,
      maxAttempts: limits.maxCommitAttempts,
      retryMs: limits.commitRetryMs,
      timers,
      log,
      faultPoint,
      onCommitted: (changes) => {
        if (this.#troubles.size > 0)
          for (const { lease } of changes) this.#troubles.delete(lease.runId);
        if (this.#listeners.size === 0) return;
        for (const { lease, status } of changes)
          this.#listeners.tell(lease.runId, status !== undefined);
      },
    });
    this.#watch = new EngineWatch({
      store,
      timers,
      log,
      faultPoint,
      limits,
      runs: this.#runs,
      hasFreeSlot: () => this.#queue.size === 0 && this.#freeSlots > 0,
      isCrowded: () => this.#queue.size > 0 && this.#freeSlots <= 0,
      avoided: () => this.#avoided.size,
      isWatched: () => this.#listeners.size > 0,
      enqueue: (runIds) => this.#enqueueFound(runIds),
      onOthersWrote: () => this.#listeners.tell(null),
    });
    this.#runParts = {
      interpret,
      runActivity,
      timers,
      log,
      faultPoint,
      limits,
      commits: this.#commits,
      onDeparture: (run, departure) => void this.#onDeparture(run, departure),
      onProgress: (runId) => this.#listeners.tell(runId),
      onDoubt: () => void this.#watch.renew(),
    };
  }

  execute(runId: string, depth?: number): Promise<ExecutionEnd> {
    const known = this.#executions.get(runId);
    if (known) return known.ended;
    if (this.#isClosed) return Promise.resolve('let-go');
    const { maxQueued } = this.#parts.limits;
    // A run that a running one may wait for must not be rejected because of runs that wait for a slot.
    const limit = depth === undefined || depth === 0 ? maxQueued : 2 * maxQueued;
    if (this.#queue.size >= limit) return Promise.resolve('queued');
    const { ended } = this.#enqueue(runId, depth);
    this.#fill();
    return ended;
  }

  async resumeAll(): Promise<number> {
    return this.#isClosed ? 0 : this.#watch.scan();
  }

  start(): void {
    if (!this.#isClosed) this.#watch.start();
  }

  look(): void {
    if (!this.#isClosed) this.#watch.look();
  }

  onChange(listener: ChangeListener, runId: string | null = null): () => void {
    const stopListening = this.#listeners.add(listener, runId);
    this.#watch.keepGoing();
    return stopListening;
  }

  get size(): number {
    return this.#runs.size;
  }

  trouble(runId: string): unknown {
    return this.#troubles.get(runId);
  }

  underway(runId: string): readonly UnderwayActivity[] {
    return this.#runs.get(runId)?.underway() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.stopTaking();
    for (const runId of this.#queue.clear()) this.#settle(runId, 'let-go');
    // The one being taken on becomes a run, or not, first.
    await this.#filling;
    for (const run of this.#runs.values()) run.leave('closed');
    await Promise.all([...this.#executions.values()].map(({ ended }) => ended));
    await this.#commits.drain();
    this.#watch.close();
  }

  #enqueueFound(runIds: readonly string[]): number {
    const nowMs = this.#parts.timers.now();
    const wanted = runIds.filter((runId) => {
      if (this.#executions.has(runId)) return false;
      if ((this.#avoided.get(runId) ?? 0) > nowMs) return false;
      this.#avoided.delete(runId);
      return true;
    });
    for (const runId of wanted) this.#enqueue(runId);
    if (wanted.length > 0) this.#fill();
    return wanted.length;
  }

  #enqueue(runId: string, depth?: number): Execution {
    this.#queue.add(runId, depth);
    this.#hasJoined = true;
    return this.#expect(runId);
  }

  #expect(runId: string): Execution {
    const { promise: ended, resolve } = Promise.withResolvers<ExecutionEnd>();
    const execution = { ended, resolve };
    this.#executions.set(runId, execution);
    // What is unreferenced elsewhere must not let the process end in the middle of a run.
    this.#keepAlive ??= setInterval(() => {}, maxIntervalMs);
    return execution;
  }

  #settle(runId: string, end: ExecutionEnd): void {
    const execution = this.#executions.get(runId);
    this.#executions.delete(runId);
    if (this.#executions.size === 0) {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
    execution?.resolve(end);
  }

  /** Claims queued runs, batch by batch, while there are free slots. */
  #fill(): void {
    if (this.#filling) return;
    const filling = this.#takeQueued().finally(() => {
      this.#filling = undefined;
      if (this.#queue.size > 0 && (this.#hasFreeSlot() || this.#hasJoined)) this.#fill();
    });
    this.#filling = filling;
  }

  async #takeQueued(): Promise<void> {
    // Runs that are started together are claimed together.
    await Promise.resolve();
    while (this.#queue.size > 0 && !this.#isClosed) {
      this.#hasJoined = false;
      const free = this.#freeSlots;
      const runIds =
        free > 0 ? this.#queue.take(Math.min(free, claimBatch)) : await this.#takeNested();
      if (runIds.length === 0) return;
      await this.#take(runIds);
    }
  }

  #takeNested(): Promise<readonly string[]> {
    const { store, limits } = this.#parts;
    const executed = Map.groupBy(this.#runs.values(), ({ record }) => runDepth(record.meta));
    return this.#queue.takeNested({
      freeSlotsAt: (depth) => limits.maxRuns - (executed.get(depth)?.length ?? 0),
      depthOf: async (runId) => {
        // What cannot be read is found out, and told, when it is taken on.
        const record = await store.find(null, runId).catch(() => undefined);
        return record && runDepth(record.meta);
      },
    });
  }

  /** How many more runs may be claimed; those being claimed and read have their slots. */
  get #freeSlots(): number {
    return this.#parts.limits.maxRuns - (this.#executions.size - this.#queue.size);
  }

  #hasFreeSlot(): boolean {
    return !this.#isClosed && this.#freeSlots > 0;
  }

  async #take(runIds: readonly string[]): Promise<void> {
    const leases = await this.#claim(runIds);
    if (!leases) {
      for (const runId of runIds) this.#settle(runId, 'let-go');
      return;
    }
    const claimed = new Set(leases.map(({ runId }) => runId));
    for (const runId of runIds) if (!claimed.has(runId)) this.#settle(runId, 'elsewhere');
    await Promise.all(leases.map((lease) => this.#load(lease)));
  }

  /** Undefined when the store could not be used. */
  async #claim(runIds: readonly string[]): Promise<readonly Lease[] | undefined> {
    const { store, log, faultPoint } = this.#parts;
    try {
      this.#owner ??= this.#identify();
      const owner = await this.#owner;
      faultPoint('engine.claim.before');
      const leases = await store.claim(runIds, owner);
      faultPoint('engine.claim.after');
      return leases;
    } catch (error) {
      log.error('claim failed', { runs: runIds.length, error });
      for (const runId of runIds) this.#noteTrouble(runId, error);
      return undefined;
    }
  }

  async #load(lease: Lease): Promise<void> {
    const { store, log, faultPoint } = this.#parts;
    const { runId } = lease;
    try {
      const run = await store.findWhole(null, runId);
      if (!run) return this.#settle(runId, 'elsewhere');
      faultPoint('engine.load.after');
      if (this.#isClosed) {
        await this.#release({ lease });
        return this.#settle(runId, 'let-go');
      }
      logRunBegan(log, run.record, { hasHistory: run.entries.length > 0 });
      this.#begin(new ActiveRun({ ...run, lease }, this.#runParts));
    } catch (error) {
      log.error('failed to load run, releasing it', { runId, error });
      this.#noteTrouble(runId, error);
      this.#avoid(runId);
      await this.#release({ lease });
      this.#settle(runId, 'let-go');
    }
  }

  async #identify(): Promise<RunOwner> {
    const identity = await this.#parts.identify();
    const { leaseMs } = this.#parts.limits;
    return { ...identity, id: randomUUID(), leaseMs };
  }

  #begin(run: ActiveRun): void {
    this.#runs.set(run.runId, run);
    this.#watch.keepGoing();
    run.start();
    this.#listeners.tell(run.runId);
  }

  async #onDeparture(run: LeasedRun, departure: Departure): Promise<void> {
    const { runId } = run;
    switch (departure.kind) {
      case 'ended':
        logRunEnded(this.#parts.log, run.record, departure.end);
        this.#leave(runId, 'ended');
        return;
      case 'lost':
        this.#leave(runId, 'let-go');
        return;
      case 'refused':
        this.#noteTrouble(runId, departure.error);
        this.#avoid(runId);
        await this.#release({ lease: run.lease });
        this.#leave(runId, 'let-go');
        return;
      case 'idle':
      case 'closed':
        await this.#release(departure.release);
        this.#watch.wakeAt(departure.release.idle?.untilMs ?? null);
        this.#leave(runId, departure.kind === 'idle' ? 'idle' : 'let-go');
    }
  }

  #leave(runId: string, end: ExecutionEnd): void {
    this.#runs.delete(runId);
    this.#settle(runId, end);
    this.#listeners.tell(runId, true);
    if (this.#queue.size > 0) this.#fill();
    else this.#watch.onFreeSlot();
  }

  async #release(release: Release): Promise<void> {
    const { store, log, faultPoint } = this.#parts;
    try {
      faultPoint('engine.release.before');
      await store.release([release]);
      faultPoint('engine.release.after');
    } catch (error) {
      // It ends by itself when its time is over.
      log.warn('failed to release lease', { runId: release.lease.runId, error });
    }
  }

  #noteTrouble(runId: string, error: unknown): void {
    if (this.#troubles.size >= this.#parts.limits.maxQueued) this.#troubles.clear();
    this.#troubles.set(runId, error);
  }

  #avoid(runId: string): void {
    if (this.#avoided.size >= this.#parts.limits.maxQueued) this.#avoided.clear();
    this.#avoided.set(runId, this.#parts.timers.now() + avoidMs);
  }
}

const maxIntervalMs = 2 ** 31 - 1;
