/**
 * An abort controller whose signal is made only once somebody looks at it: a signal with a listener
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
