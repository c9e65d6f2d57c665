/*
 * Invariants:
 * 1. `add` neither waits nor throws; what does not fit is counted as dropped.
 * 2. At most one write is under way, and items are written in the order they were added.
 * 3. A failed write drops its batch and reports it; the next batch is tried afresh.
 * 4. After `close` nothing is accepted.
 */

export interface QueueOptions<Item> {
  readonly maxQueued: number;
  readonly maxBatch: number;
  readonly flushIntervalMs: number;
  readonly write: (batch: readonly Item[]) => Promise<void>;
  readonly onDropped: (count: number, reason: unknown) => void;
}

/** Collects items and writes them in batches, in the background. */
export class BatchQueue<Item> {
  readonly #options: QueueOptions<Item>;
  #waiting: Item[] = [];
  #overflowed = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: QueueOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#isClosed || this.#waiting.length >= this.#options.maxQueued) {
      this.#overflowed += 1;
      return;
    }
    this.#waiting.push(item);
    // A timer that waits must not keep a finished program alive; `close` writes what is left.
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.flushIntervalMs).unref();
  }

  /** Ends when everything added before it is written or reported as dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // The write under way may be past its last look at the queue.
    await this.#writing;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.maxBatch);
      try {
        await this.#options.write(batch);
      } catch (error) {
        this.#options.onDropped(batch.length, error);
      }
    }
    if (this.#overflowed === 0) return;
    const dropped = this.#overflowed;
    this.#overflowed = 0;
    this.#options.onDropped(dropped, 'the queue was full or closed');
  }
}
