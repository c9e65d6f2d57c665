import type { RunStatus } from '../../contract/run/index.ts';
import type { JournalEntry, Lease, RunChange } from '../engine/run-store.ts';

/** Somebody who waits until so many entries are kept. */
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
  /** Who waits for the most entries is last. */
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

  /** Nobody is to wait any more, kept or not. */
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
