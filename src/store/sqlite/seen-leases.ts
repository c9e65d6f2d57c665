import { Registry } from '../../kernel/index.ts';

/** More runs are executed at once by nobody; those beyond are looked at. */
const maxSeen = 10_000;

/**
 * Leases that hold although nobody looks at them again: a statement that was given one found it in the
 * database, and no other connection has committed anything since. Looking at a lease costs as much as
 * writing what a step came to.
 *
 * 1. Relied on within a transaction only, which knows what others have committed and keeps them from more.
 * 2. Whatever this connection does to a lease is told to `forget`, before it is done.
 */
export class SeenLeases {
  /** The epochs by run. */
  readonly #epochs = new Registry<number>();
  #version: number | undefined;
  #isOpen = false;

  /** A transaction has begun; `version` changes whenever another connection has committed something. */
  open(version: number): void {
    if (version !== this.#version) this.#epochs.clear();
    this.#version = version;
    this.#isOpen = true;
  }

  /** It is over, in whichever way. */
  close(): void {
    this.#isOpen = false;
  }

  has(runId: string, epoch: number): boolean {
    return this.#isOpen && this.#epochs.get(runId) === epoch;
  }

  add(runId: string, epoch: number): void {
    if (this.#epochs.size >= maxSeen) this.#epochs.clear();
    this.#epochs.set(runId, epoch);
  }

  forget(runId: string): void {
    this.#epochs.delete(runId);
  }
}
