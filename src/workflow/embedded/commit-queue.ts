import type { RunStatus } from '../../contract/run/index.ts';
import { AppError, type FaultPoint, type Log, type Timers } from '../../kernel/index.ts';
import type {
  CommitDurability,
  CommitReport,
  RunChange,
  RunStore,
  JournalEntry,
  Lease,
} from '../engine/run-store.ts';

/** A run with something to commit. */
export interface Committer {
  /** What there is to commit; it is not given again. */
  takeChange(): RunChange;
  onCommitted(change: RunChange): void;
  /** Another process owns the run: nothing of the change was kept. */
  onLost(): void;
  /** The store could not keep it, however often it was tried. */
  onRefused(error: unknown): void;
}

interface CommitQueueParts {
  readonly store: RunStore;
  readonly durability: 'normal' | 'full';
  readonly maxAttempts: number;
  readonly retryMs: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  /** Notified after the committers. */
  readonly onCommitted: (changes: readonly RunChange[]) => void;
}

interface Committed {
  readonly committer: Committer;
  readonly change: RunChange;
}

/** Commits in a row that may happen before timers and sockets are served. */
const maxFlushesPerTick = 64;

/**
 * Group commit: what all runs have to keep goes into one transaction.
 *
 * 1. While activities are under way, what settles within one tick is committed
 *    together at its end. When none is, nothing can join, so it is committed as soon as all that can
 *    run has run: a run of one step after another does not wait for a tick.
 * 2. One transaction at a time; what comes meanwhile is in the next.
 * 3. At `full`, a committed status is reported when it is on the disk; nothing else waits for that.
 */
export class CommitQueue {
  readonly #parts: CommitQueueParts;
  #waiting = new Set<Committer>();
  #underway = 0;
  #isScheduled = false;
  #isNext = false;
  #isCommitting = false;
  #flushesThisTick = 0;
  /** Committers whose change is kept and not yet on the disk. */
  #holding = 0;
  #drained: (() => void)[] = [];

  constructor(parts: CommitQueueParts) {
    this.#parts = parts;
  }

  get #durability(): CommitDurability {
    return this.#parts.durability === 'full' ? 'soon' : 'normal';
  }

  /** An activity begins: its outcome may join others. */
  began(): void {
    this.#underway += 1;
  }

  finished(): void {
    this.#underway -= 1;
  }

  add(committer: Committer): void {
    this.#waiting.add(committer);
    this.#schedule();
  }

  /** Settles when nothing is left to commit. */
  async drain(): Promise<void> {
    if (this.#waiting.size === 0 && !this.#isCommitting && this.#holding === 0) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #schedule(): void {
    if (this.#isCommitting) return;
    if (this.#underway === 0 && this.#flushesThisTick < maxFlushesPerTick) {
      if (!this.#isNext) process.nextTick(this.#onNext);
      this.#isNext = true;
      return;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTick);
  }

  readonly #onNext = (): void => {
    this.#isNext = false;
    this.#flush();
  };

  readonly #onTick = (): void => {
    this.#isScheduled = false;
    this.#flushesThisTick = 0;
    this.#flush();
  };

  readonly #flush = (): void => {
    if (this.#isCommitting || this.#waiting.size === 0) return;
    this.#flushesThisTick += 1;
    this.#isCommitting = true;
    const committers = [...this.#waiting];
    this.#waiting = new Set();
    const changes = committers.map((committer) => committer.takeChange());
    this.#parts.faultPoint('engine.commit.before');
    void this.#commit(committers, changes);
  };

  async #commit(committers: readonly Committer[], changes: readonly RunChange[]): Promise<void> {
    const report = await this.#persist(changes).catch((error: unknown) => ({ error }));
    if (!('error' in report)) return this.#conclude(report, committers, changes);
    // One run's change that cannot be kept must not take the others with it.
    if (committers.length > 1) await this.#commitEach(committers, changes);
    else committers[0]?.onRefused(report.error);
    this.#onDone();
  }

  #conclude(
    { lost }: CommitReport,
    committers: readonly Committer[],
    changes: readonly RunChange[],
  ): void {
    this.#parts.faultPoint('engine.commit.after');
    const held: Committed[] = [];
    const told: RunChange[] = [];
    for (const [place, committer] of committers.entries()) {
      const change = changes[place];
      if (!change) continue;
      if (lost.length > 0 && lost.includes(change.lease.runId)) committer.onLost();
      else if (this.#dependsOnDisk(change)) {
        held.push({ committer, change });
        continue;
      } else committer.onCommitted(change);
      told.push(change);
    }
    if (told.length > 0) this.#parts.onCommitted(told);
    if (held.length > 0) void this.#holdUntilSynced(held);
    this.#onDone();
  }

  /**
   * Who hears of an end, or finds a run waiting, must not be told otherwise after a loss of power. Outcomes of
   * steps matter only to the steps after them, whose effects take all before them along to the disk.
   */
  #dependsOnDisk({ status }: RunChange): boolean {
    return this.#parts.durability === 'full' && status !== undefined;
  }

  /** Others go on meanwhile. */
  async #holdUntilSynced(held: readonly Committed[]): Promise<void> {
    this.#holding += held.length;
    const failure = await this.#parts.store.synced().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    this.#holding -= held.length;
    for (const { committer, change } of held) {
      if (failure) committer.onRefused(failure.error);
      else committer.onCommitted(change);
    }
    if (!failure) this.#parts.onCommitted(held.map(({ change }) => change));
    this.#tellDrained();
  }

  #onDone(): void {
    this.#isCommitting = false;
    if (this.#waiting.size > 0) return this.#schedule();
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#waiting.size > 0 || this.#isCommitting || this.#holding > 0) return;
    const drained = this.#drained;
    this.#drained = [];
    for (const resolve of drained) resolve();
  }

  async #commitEach(
    committers: readonly Committer[],
    changes: readonly RunChange[],
  ): Promise<void> {
    for (const [place, committer] of committers.entries()) {
      const change = changes[place];
      if (!change) continue;
      try {
        const { lost } = await this.#parts.store.commit([change], this.#durability);
        if (lost.length > 0) committer.onLost();
        else if (this.#dependsOnDisk(change)) await this.#holdUntilSynced([{ committer, change }]);
        else committer.onCommitted(change);
      } catch (error) {
        committer.onRefused(error);
      }
    }
  }

  async #persist(changes: readonly RunChange[]): Promise<CommitReport> {
    const { store, maxAttempts, retryMs, timers, log } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store.commit(changes, this.#durability);
      } catch (error) {
        const isWorthIt = error instanceof AppError && error.retryable;
        if (!isWorthIt || attempt >= maxAttempts) throw error;
        log.warn('commit failed, retrying', { attempt, error });
        await new Promise<void>((resolve) => void timers.after(retryMs * attempt, resolve));
      }
    }
  }
}

/** Waits until so many entries are committed. */
interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
}

/** What is to be kept of a run and is not yet: entries of its journal, and what its status is to become. */
export class UnsavedChanges {
  #entries: JournalEntry[] = [];
  /** Commits under way; several where the disk is waited for. */
  #commits = 0;
  /** As it is, once those are through. */
  #status: RunStatus;
  #nextStatus: RunStatus | undefined;
  /** Entries that were ever added, and those of them that are kept. */
  #added = 0;
  #kept = 0;
  /** The one that waits for the most entries is last. */
  #waiters: Waiter[] = [];
  #isLetGo = false;

  constructor(status: RunStatus) {
    this.#status = status;
  }

  /** As it was last given to a commit. */
  get status(): RunStatus {
    return this.#status;
  }

  /** Undefined while none but the first one was ever wanted. */
  get nextStatus(): RunStatus | undefined {
    return this.#nextStatus;
  }

  get isCommitting(): boolean {
    return this.#commits > 0;
  }

  /** A status alone does not count: nothing follows from it. */
  get isThere(): boolean {
    return this.#commits > 0 || this.#entries.length > 0;
  }

  /** How many entries are not kept yet. */
  get ahead(): number {
    return this.#added - this.#kept;
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#added += 1;
  }

  /** Settles when all that was added is kept, or at `letGo`; undefined when it is. */
  untilKept(): Promise<void> | undefined {
    if (this.ahead === 0 || this.#isLetGo) return undefined;
    const count = this.#added;
    return new Promise((resolve) => void this.#waiters.push({ count, resolve }));
  }

  /** Resolves all waiters, committed or not. */
  letGo(): void {
    this.#isLetGo = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { resolve } of waiters) resolve();
  }

  setStatus(status: RunStatus): void {
    this.#nextStatus = status;
  }

  /** Gives what there is to a commit, once. */
  take(lease: Lease): RunChange {
    const entries = this.#entries;
    const status = this.#nextStatus;
    this.#entries = [];
    this.#commits += 1;
    if (status === undefined || status === this.#status) return { lease, entries };
    this.#status = status;
    return { lease, entries, status };
  }

  onCommitted({ entries }: Pick<RunChange, 'entries'>): void {
    this.#commits -= 1;
    this.#kept += entries.length;
    while (this.#waiters[0] && this.#waiters[0].count <= this.#kept) {
      this.#waiters.shift()?.resolve();
    }
  }
}
