import type { Timers } from '../../src/kernel/index.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes when the test says so. */
export class ManualTimers implements Timers {
  readonly #timers = new Set<Timer>();
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass: what falls due runs in order, and what that causes settles before the next. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settle();
    }
    this.#now = end;
  }

  #nextUntil(end: number): Timer | undefined {
    const [first] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    return first;
  }
}

/** Lets everything run that can run without outside help. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
