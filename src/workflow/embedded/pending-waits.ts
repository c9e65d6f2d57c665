import type { Json } from '../../contract/plan/index.ts';
import type { Timers } from '../../kernel/index.ts';

/** Timers of the platform cannot be set further ahead. */
const maxDelayMs = 2 ** 31 - 1;

interface Wait {
  /** Undefined for a sleep. */
  readonly signal: string | undefined;
  /** When its time is over; undefined for never. */
  readonly dueMs: number | undefined;
  stopTimer: () => void;
}

export interface PendingWaitsParts {
  readonly timers: Timers;
  readonly settle: (key: string, value: Json) => void;
}

/** What one run waits for that is no activity: times and signals. */
export class PendingWaits {
  readonly #parts: PendingWaitsParts;
  readonly #waits = new Map<string, Wait>();
  readonly #keysBySignal = new Map<string, string[]>();
  #sleeps = 0;

  constructor(parts: PendingWaitsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waits.size;
  }

  /** How many of them wait for nothing but time. */
  get sleeps(): number {
    return this.#sleeps;
  }

  /** The first time something is over; null when nothing ever is by itself. */
  get nextDueMs(): number | null {
    let first: number | null = null;
    for (const { dueMs } of this.#waits.values()) {
      if (dueMs !== undefined && (first === null || dueMs < first)) first = dueMs;
    }
    return first;
  }

  sleep(key: string, dueMs: number): void {
    this.#sleeps += 1;
    this.#add(key, { signal: undefined, dueMs, stopTimer: () => {} });
  }

  waitFor(key: string, signal: string, dueMs: number | undefined): void {
    const keys = this.#keysBySignal.get(signal);
    if (keys) keys.push(key);
    else this.#keysBySignal.set(signal, [key]);
    this.#add(key, { signal, dueMs, stopTimer: () => {} });
  }

  /** A signal is there: everything that waits for it gets it. */
  deliver(signal: string, payload: Json): void {
    const keys = this.#keysBySignal.get(signal) ?? [];
    this.#keysBySignal.delete(signal);
    for (const key of keys) if (this.#remove(key)) this.#parts.settle(key, { payload });
  }

  /** Stops all timers; nothing settles any more. */
  clear(): void {
    for (const wait of this.#waits.values()) wait.stopTimer();
    this.#waits.clear();
    this.#keysBySignal.clear();
    this.#sleeps = 0;
  }

  #add(key: string, wait: Wait): void {
    this.#waits.set(key, wait);
    this.#setTimer(key, wait);
  }

  #setTimer(key: string, wait: Wait): void {
    if (wait.dueMs === undefined) return;
    const { timers } = this.#parts;
    const leftMs = Math.max(0, wait.dueMs - timers.now());
    wait.stopTimer = timers.after(Math.min(leftMs, maxDelayMs), () => {
      // Timers fire early at times, and long ones in parts.
      if (wait.dueMs !== undefined && timers.now() < wait.dueMs) this.#setTimer(key, wait);
      else this.#onDue(key, wait);
    });
  }

  #onDue(key: string, wait: Wait): void {
    if (!this.#remove(key)) return;
    this.#parts.settle(key, wait.signal === undefined ? null : { timedOut: true });
  }

  #remove(key: string): boolean {
    const wait = this.#waits.get(key);
    if (!wait) return false;
    wait.stopTimer();
    if (wait.signal === undefined) this.#sleeps -= 1;
    return this.#waits.delete(key);
  }
}
