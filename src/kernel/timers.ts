import { createSteadyClock, type Clock } from './clock.ts';

/**
 * A clock that can also wake somebody: time as an argument, so that tests need not wait. That of the system is
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
