import { AppError } from './app-error.ts';

/** For work that others share or that does not stop at once: it goes on, and this caller goes. */
export async function orAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  // A failure after the caller has gone is of no interest.
  work.catch(() => {});
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Something did not finish in the time it was given. */
export class TimeLimitError extends AppError {
  readonly code = 'kernel.time_limit';
  override readonly retryable = true;

  constructor(what: string, limitMs: number) {
    super(`${what} did not finish within ${limitMs} ms`, { details: { limitMs } });
  }
}

/** What is to be done, for how long at most, and who else may end it. */
interface TimeLimit {
  /** Names the work in the error: `Tool "code.format_code"`. */
  readonly what: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` until it settles, `limit.signal` aborts or the time is up, whichever is first. The
 * signal that `work` gets aborts in both of the latter cases; a result that comes too late is dropped.
 */
export async function withTimeLimit<Result>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  limit.signal.throwIfAborted();
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(limit.signal.reason);
  limit.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(
    () => ended.abort(new TimeLimitError(limit.what, limit.limitMs)),
    limit.limitMs,
  );
  try {
    // Listens before the work begins: the work itself may cause the abort while it starts.
    const aborted = rejectOnAbort(ended.signal);
    return await Promise.race([work(ended.signal), aborted]);
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', onAbort);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * An abort controller whose signal is made on first access: a signal with a listener
 * costs more than the rest of a short call, and most calls are never stopped.
 */
export class LazyAbort {
  #isAborted = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  /** Nearly always there is one at most. */
  #watcher: (() => void) | undefined;
  #otherWatchers: Set<() => void> | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Once; later ones do nothing. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const watchers = [...(this.#watcher ? [this.#watcher] : []), ...(this.#otherWatchers ?? [])];
    this.#watcher = undefined;
    this.#otherWatchers = undefined;
    this.#controller?.abort(reason);
    for (const watcher of watchers) watcher();
  }

  /** Calls `watcher` once, when it is aborted after this. */
  watch(watcher: () => void): void {
    if (this.#isAborted) return;
    if (!this.#watcher) this.#watcher = watcher;
    else {
      this.#otherWatchers ??= new Set();
      this.#otherWatchers.add(watcher);
    }
  }

  unwatch(watcher: () => void): void {
    if (this.#watcher === watcher) this.#watcher = undefined;
    else this.#otherWatchers?.delete(watcher);
  }
}

/** A signal that exists already, to be watched in the same way. */
export class SignalAbort {
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  get isAborted(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  watch(watcher: () => void): void {
    this.signal.addEventListener('abort', watcher, { once: true });
  }

  unwatch(watcher: () => void): void {
    this.signal.removeEventListener('abort', watcher);
  }
}
