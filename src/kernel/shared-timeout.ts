import { AsyncResource } from 'node:async_hooks';

/** A waiter for the end of a time, in the asynchronous context in which it began to wait. */
export class Wait extends AsyncResource {
  readonly run: () => void;
  readonly dueAt: number;
  isOver = false;
  earlier: Wait | undefined;
  later: Wait | undefined;

  constructor(run: () => void, dueAt: number) {
    super('Wait');
    this.run = run;
    this.dueAt = dueAt;
  }
}

/** Timers fire up to a millisecond early. */
const earlyMs = 1;

/**
 * Many waits of the same length behind one timer. Calls come and go by the thousand and hardly one is
 * still there when its time is up: here each costs an entry in a list, and nothing when it goes.
 *
 * 1. A wait ends once: it is stopped, or `run` is called, never before its time.
 * 2. A waiter keeps the process alive; without waiters nothing here does.
 */
export class SharedTimeout {
  readonly #delayMs: number;
  #first: Wait | undefined;
  #last: Wait | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  start(run: () => void): Wait {
    const earlier = this.#last;
    const wait = new Wait(run, performance.now() + this.#delayMs);
    wait.earlier = earlier;
    this.#last = wait;
    if (earlier) earlier.later = wait;
    else {
      this.#first = wait;
      if (this.#timer) this.#timer.ref();
      else this.#timer = setTimeout(this.#onTime, this.#delayMs);
    }
    return wait;
  }

  stop(wait: Wait): void {
    if (wait.isOver) return;
    wait.isOver = true;
    const { earlier, later } = wait;
    if (earlier) earlier.later = later;
    else this.#first = later;
    if (later) later.earlier = earlier;
    else this.#last = earlier;
    // One that is old by the collector's count would keep all that came after it until a full collection.
    wait.earlier = undefined;
    wait.later = undefined;
    // The timer stays for the next waiter; alone it keeps no process alive.
    if (!this.#first) this.#timer?.unref();
  }

  readonly #onTime = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    let wait = this.#first;
    while (wait && wait.dueAt - now <= earlyMs) {
      this.stop(wait);
      wait.runInAsyncScope(wait.run);
      wait = this.#first;
    }
    // Who was called may have begun to wait anew, and set the timer.
    if (!wait) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTime, Math.max(0, wait.dueAt - now));
  };
}
