import { Gate, type Timers } from '../../kernel/index.ts';

/** As many servers start at once as a small machine bears; all of hundreds would start none in time. */
const places = { maxConcurrent: 16, maxWaiting: 100_000 };
/** A start that takes longer goes on without its place, so that those behind it do not wait for it. */
const placeLimitMs = 5_000;

/** Spreads the starts that no call waits for. A call starts its server at once. */
export class StartBrake {
  readonly #gate = new Gate(places);
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `start` when it is its turn. Throws what it throws, or the signal's reason while it waits. */
  async pass(start: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#gate.tryEnter()) await this.#gate.enter(signal);
    let hasPlace = true;
    const leave = (): void => {
      if (hasPlace) this.#gate.leave();
      hasPlace = false;
    };
    const cancel = this.#timers.after(placeLimitMs, leave);
    try {
      await start();
    } finally {
      cancel();
      leave();
    }
  }
}
