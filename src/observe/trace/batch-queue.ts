import { setTimeout as pause } from 'node:timers/promises';

/*
 * Invariants:
 * 1. `add` neither waits nor throws; what does not fit is counted as dropped.
 * 2. At most one write is under way, and items are written in the order they were added.
 * 3. A failed write drops its batch and reports it, and the next batch is tried afresh; when `retry` allows
 *    another attempt the batch stays, first in the queue and counted as a part of it.
 * 4. After `close` nothing is accepted, and nothing is left: it is written or reported as dropped.
 */

export interface QueueOptions<Item> {
  readonly maxQueued: number;
  readonly maxBatch: number;
  readonly flushIntervalMs: number;
  readonly write: (batch: readonly Item[]) => Promise<void>;
  readonly onDropped: (count: number, reason: unknown) => void;
  /** Without it a failed write is not tried again. */
  readonly retry?: RetryRule;
}

export interface RetryRule {
  readonly isWorthwhile: (error: unknown) => boolean;
  readonly pauseMs: number;
  /** More of them only delay the end of the program. */
  readonly maxCloseAttempts: number;
}

/** Collects items and writes them in batches, in the background. */
export class BatchQueue<Item> {
  readonly #options: QueueOptions<Item>;
  #waiting: Item[] = [];
  #overflowed = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #lastError: unknown;

  constructor(options: QueueOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#isClosed || this.#waiting.length >= this.#options.maxQueued) {
      this.#overflowed += 1;
      return;
    }
    const { maxBatch, maxQueued, flushIntervalMs } = this.#options;
    const length = this.#waiting.push(item);
    // Half of the room is left for what comes while these are written.
    const half = Math.ceil(maxQueued / 2);
    if (!this.#timer) this.#flushAfter(flushIntervalMs);
    if ((length === maxBatch || length === half) && !this.#writing) {
      void this.#write(Math.min(maxBatch, half));
    }
  }

  /** Ends when everything added before it is written, reported as dropped or kept for another attempt. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // The write under way may be past its last look at the queue.
    while (this.#writing) await this.#writing;
    await this.#write(1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    const { pauseMs = 0, maxCloseAttempts = 1 } = this.#options.retry ?? {};
    for (let attempt = 1; attempt < maxCloseAttempts && this.#waiting.length > 0; attempt += 1) {
      await pause(pauseMs);
      await this.flush();
    }
    const left = this.#waiting.splice(0).length;
    if (left > 0) this.#options.onDropped(left, this.#lastError);
  }

  #write(least: number): Promise<void> {
    this.#writing = this.#writeBatches(least).finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /**
   * Goes on while `least` items wait. Full batches go at once: items that wait longer survive collections,
   * which costs more than writing them. What begins the next batch waits, or batches would be tiny.
   */
  async #writeBatches(least: number): Promise<void> {
    // `add` must not wait for a target that writes synchronously.
    await Promise.resolve();
    while (this.#waiting.length >= least) {
      const batch = this.#waiting.slice(0, this.#options.maxBatch);
      try {
        await this.#options.write(batch);
      } catch (error) {
        if (this.#options.retry?.isWorthwhile(error)) {
          this.#lastError = error;
          this.#flushAfter(this.#options.retry.pauseMs);
          break;
        }
        this.#options.onDropped(batch.length, error);
      }
      this.#waiting.splice(0, batch.length);
    }
    this.#reportOverflow();
  }

  /** A timer that waits must not keep a finished program alive; `close` writes what is left. */
  #flushAfter(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  #reportOverflow(): void {
    if (this.#overflowed === 0) return;
    const dropped = this.#overflowed;
    this.#overflowed = 0;
    this.#options.onDropped(dropped, 'the queue was full or closed');
  }
}
