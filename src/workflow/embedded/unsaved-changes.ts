import type { RunStatus } from '../../contract/run/index.ts';
import type { JournalEntry, Lease, RunChange } from '../engine/run-store.ts';

/** What is to be kept of a run and is not yet: entries of its journal, and what its status is to become. */
export class UnsavedChanges {
  #entries: JournalEntry[] = [];
  #isCommitting = false;
  #status: RunStatus;
  /** How many entries the journal has. */
  #place: number;
  #nextStatus: RunStatus | undefined;

  constructor(status: RunStatus, place: number) {
    this.#status = status;
    this.#place = place;
  }

  /** As it was last committed. */
  get status(): RunStatus {
    return this.#status;
  }

  /** Undefined while none but the first one was ever wanted. */
  get nextStatus(): RunStatus | undefined {
    return this.#nextStatus;
  }

  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  /** A status alone does not count: nothing follows from it. */
  get isThere(): boolean {
    return this.#isCommitting || this.#entries.length > 0;
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
  }

  setStatus(status: RunStatus): void {
    this.#nextStatus = status;
  }

  /** Gives what there is to a commit, once. */
  take(lease: Lease): RunChange {
    const entries = this.#entries;
    const place = this.#place;
    const status = this.#nextStatus;
    this.#entries = [];
    this.#isCommitting = true;
    this.#place += entries.length;
    return status === undefined || status === this.#status
      ? { lease, entries, place }
      : { lease, entries, place, status };
  }

  onCommitted(status: RunStatus | undefined): void {
    this.#isCommitting = false;
    if (status !== undefined) this.#status = status;
  }
}
