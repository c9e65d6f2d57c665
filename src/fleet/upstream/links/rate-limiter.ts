import type { Readable } from 'node:stream';

export interface RateLimits {
  readonly windowMs: number;
  /** Unsolicited messages and garbage per window. */
  readonly maxMessages: number;
  readonly maxBytes: number;
}

export const defaultRateLimits: RateLimits = {
  windowMs: 100,
  maxMessages: 2_000,
  maxBytes: 4 * 1024 * 1024,
};

/**
 * Keeps one server from starving the others: over the limit its output is not read until the window ends.
 * Nothing is lost; backpressure makes the server wait.
 */
export class RateLimiter {
  readonly #input: Readable;
  readonly #limits: RateLimits;
  readonly #onFlood: () => void;
  #windowEndsAt = 0;
  #messages = 0;
  #bytes = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(input: Readable, limits: RateLimits, onFlood: () => void) {
    this.#input = input;
    this.#limits = limits;
    this.#onFlood = onFlood;
  }

  count(bytes: number): void {
    const now = performance.now();
    if (now >= this.#windowEndsAt) {
      this.#windowEndsAt = now + this.#limits.windowMs;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += 1;
    this.#bytes += bytes;
    const isOver = this.#messages > this.#limits.maxMessages || this.#bytes > this.#limits.maxBytes;
    if (!isOver || this.#pause) return;
    this.#onFlood();
    this.#input.pause();
    this.#pause = setTimeout(() => this.release(), this.#windowEndsAt - now);
  }

  /** Resumes reading at once. */
  release(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#input.resume();
  }
}
