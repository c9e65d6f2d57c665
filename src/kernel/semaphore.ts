import { AppError } from './app-error.ts';

/** The queue of waiting callers is full. */
export class SemaphoreFullError extends AppError {
  readonly code = 'kernel.too_busy';
  override readonly retryable = true;

  constructor(limits: SemaphoreLimits) {
    super(
      `${limits.maxConcurrent} calls are running and ${limits.maxWaiting} wait already. Try again later`,
      { details: { ...limits } },
    );
  }
}

export interface SemaphoreLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
}

/** Lets a limited number of pieces of work run at once; the next ones wait in order of arrival. */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** Runs `work` when a slot is free. Throws `kernel.too_busy`, or the signal's reason while it waits. */
  async pass<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (!this.tryEnter()) await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Takes a free slot; false when there is none. It is given back by `leave`. */
  tryEnter(): boolean {
    if (this.#running >= this.#limits.maxConcurrent) return false;
    this.#running += 1;
    return true;
  }

  /** Waits for a slot. Throws `kernel.too_busy`, or the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#limits.maxWaiting) throw new SemaphoreFullError(this.#limits);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A slot that becomes free goes to the longest waiter, so no caller can overtake. */
  leave(): void {
    const enter = this.#waiting.shift();
    if (enter) enter();
    else this.#running -= 1;
  }
}
