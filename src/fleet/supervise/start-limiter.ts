import { Gate, type Timers } from '../../kernel/index.ts';

/** As many servers start at once as a small machine bears; all of hundreds would start none in time. */
const slots = { maxConcurrent: 16, maxWaiting: 100_000 };
/** A start that takes longer goes on without its place, so that those behind it do not wait for it. */
const slotLimitMs = 5_000;

/** Spreads the starts that no call waits for. A call starts its server at once. */
export class StartLimiter {
  readonly #semaphore = new Gate(slots);
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `start` when it is its turn. Throws what it throws, or the signal's reason while it waits. */
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
