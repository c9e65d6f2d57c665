import { availableParallelism } from 'node:os';

/** Processes that are held back together. */
export interface HeldBack {
  /** CPU time of all of them until now. */
  usedMs(): number;
  /** Stops what runs; called again while they are to stand still, for those that came meanwhile. */
  stop(): void;
  /** Continues what was stopped. */
  resume(): void;
}

/** What may be used at once after a rest: as much as in so long a time. */
const burstTimeMs = 100;
/** The clock of processes counts in such steps, so that less would hold back an idle program. */
const minBurstMs = 10;
/** A program that is far from its rate is looked at no more often than that. */
const longestPauseMs = 50;
/** Short enough for the steps of the clock, long enough for us to be idle in between. */
const shortestPauseMs = 5;
/** While they stand still: a process may have started while the others were being stopped. */
const stoppedPauseMs = 25;
/** A look takes as long as there are processes; so much of our own time is left for others. */
const pausePerLook = 4;

/**
 * Holds processes to a rate where the kernel does not: stops all of them when they have used more than
 * their share of the time that passed, and continues them once the share has caught up. What they used too
 * much before it was noticed is paid back, so that the rate holds over any longer time.
 */
export class DutyCycle {
  readonly #held: HeldBack;
  readonly #processors = availableParallelism();
  #cpus: number;
  /** CPU time that may be used at once; below zero, what has to be paid back. */
  #savedMs: number;
  #lookedAt = 0;
  #usedMs = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(held: HeldBack, cpus: number) {
    this.#held = held;
    this.#cpus = cpus;
    this.#savedMs = this.#burstMs;
  }

  /** What was used before does not count. */
  start(): void {
    this.end();
    this.#lookedAt = performance.now();
    this.#usedMs = this.#held.usedMs();
    this.#savedMs = this.#burstMs;
    this.#lookAfter(this.#pauseMs());
  }

  setRate(cpus: number): void {
    this.#cpus = cpus;
    this.#savedMs = Math.min(this.#savedMs, this.#burstMs);
  }

  /** Leaves them as they are: the caller kills them next. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #burstMs(): number {
    return Math.max(minBurstMs, this.#cpus * burstTimeMs);
  }

  #lookAfter(pauseMs: number): void {
    this.#timer = setTimeout(() => this.#look(), pauseMs).unref();
  }

  #look(): void {
    const now = performance.now();
    const usedMs = this.#held.usedMs();
    const earnedMs = this.#cpus * (now - this.#lookedAt);
    this.#savedMs = Math.min(this.#burstMs, this.#savedMs + earnedMs - (usedMs - this.#usedMs));
    this.#lookedAt = now;
    this.#usedMs = usedMs;
    this.#decide();
    this.#lookAfter(Math.max(this.#pauseMs(), pausePerLook * (performance.now() - now)));
  }

  #decide(): void {
    if (this.#savedMs <= 0 || (this.#isStopped && this.#savedMs < this.#burstMs / 2)) {
      this.#isStopped = true;
      this.#held.stop();
    } else if (this.#isStopped) {
      this.#isStopped = false;
      this.#held.resume();
    }
  }

  /** Until something may have to be done. */
  #pauseMs(): number {
    if (this.#isStopped) {
      const missingMs = this.#burstMs / 2 - this.#savedMs;
      return Math.max(1, Math.min(stoppedPauseMs, missingMs / this.#cpus));
    }
    const spendsAtMost = Math.max(1, this.#processors - this.#cpus);
    const lastsMs = this.#savedMs / spendsAtMost;
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, lastsMs));
  }
}
