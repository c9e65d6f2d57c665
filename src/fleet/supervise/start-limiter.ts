import { Semaphore, type Timers } from '../../kernel/index.ts';

/** Concurrent starts a small machine can handle; hundreds at once would all time out. */
const slots = { maxConcurrent: 16, maxWaiting: 100_000 };
/** A start that takes longer gives up its slot, so that it does not block the queue. */
const slotLimitMs = 5_000;

/** Limits the rate of background starts. A call starts its server at once. */
export class StartLimiter {
  readonly #semaphore = new Semaphore(slots);
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `start` in a slot. Rejects with its error, or with the signal's reason while queued. */
  async run(start: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#semaphore.tryEnter()) await this.#semaphore.enter(signal);
    let hasSlot = true;
    const leave = (): void => {
      if (hasSlot) this.#semaphore.leave();
      hasSlot = false;
    };
    const cancel = this.#timers.after(slotLimitMs, leave);
    try {
      await start();
    } finally {
      cancel();
      leave();
    }
  }
}
