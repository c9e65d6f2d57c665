import type { Timers } from '../../kernel/index.ts';
import { AttemptTimeError } from '../errors.ts';

/** Ends an attempt that works longer than it may. Waiting for people is no work. */
export class Deadline {
  readonly #timers: Timers;
  readonly #abort = new AbortController();
  readonly #what: string;
  #leftMs = Infinity;
  #sinceMs = 0;
  #cancel: (() => void) | undefined;
  readonly signal: AbortSignal;

  constructor(timers: Timers, { what, signal }: { what: string; signal: AbortSignal }) {
    this.#timers = timers;
    this.#what = what;
    this.signal = AbortSignal.any([signal, this.#abort.signal]);
  }

  setTo(leftMs: number): void {
    this.#leftMs = leftMs;
    this.goOn();
  }

  goOn(): void {
    this.pause();
    this.#sinceMs = this.#timers.now();
    this.#cancel = this.#timers.after(Math.min(Math.max(this.#leftMs, 0), maxTimerMs), () => {
      this.#abort.abort(new AttemptTimeError(this.#what));
    });
  }

  pause(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#leftMs -= this.#timers.now() - this.#sinceMs;
  }

  end(): void {
    this.#cancel?.();
  }
}

const maxTimerMs = 2_147_483_647;

export async function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const cancel = timers.after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
  signal.throwIfAborted();
}
