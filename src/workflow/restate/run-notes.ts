import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import type { JournalEntry, Lease, RunStore } from '../engine/run-store.ts';
import { standingEntries, type StandingEntry } from './standing-entries.ts';

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
 * Restate replays goes through all of it again. What is noted in one turn of the event loop, or while a
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

  note(entry: StandingEntry): void {
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

  /** Writes the last of it, and with it what the run came to. */
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
    // What comes in this turn of the event loop is written with it.
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

function nameOf({ kind, key }: StandingEntry): string {
  return `${kind} ${key}`;
}
