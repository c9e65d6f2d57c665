/** Time as an argument, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

interface TimeSources {
  /** The time of day, which may be set. */
  readonly wallMs: () => number;
  /** Time that only goes on. */
  readonly monotonicMs: () => number;
}

const ownSources: TimeSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Steps ask for the time: the one of day is looked at only so often. */
const lookMs = 100;

/**
 * A clock for what lasts: set back, it goes on as if it had not been, so that nothing takes longer. Set forward,
 * it follows a moment later, as that is also how the end of a suspension looks.
 */
export function createSteadyClock({ wallMs, monotonicMs }: TimeSources = ownSources): Clock {
  let aheadMs = Number.NEGATIVE_INFINITY;
  let lookAtMs = Number.NEGATIVE_INFINITY;
  return {
    now() {
      const passedMs = monotonicMs();
      if (passedMs >= lookAtMs) {
        aheadMs = Math.max(aheadMs, wallMs() - passedMs);
        lookAtMs = passedMs + lookMs;
      }
      return Math.floor(passedMs + aheadMs);
    },
  };
}

/**
 * A clock with timers: time as an argument, so that tests need not wait. That of the system is
 * steady: what waits by it does not wait longer because the clock is set back.
 */
export interface Timers extends Clock {
  /**
   * Calls `run` once after `delayMs`, unless the returned function is called first. What waits here
   * never keeps the process alive.
   */
  after(delayMs: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  ...createSteadyClock(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
