import { setTimeout as pause } from 'node:timers/promises';
import { StoreBusyError } from '../errors.ts';

const pauseMs = 20;

/**
 * Tries `work` again while other processes keep the database locked, for this long at most. SQLite's own
 * waiting stops the whole process, so that is kept short, and here others have their turns in between.
 */
export async function whileStoreBusy<Result>(
  patienceMs: number,
  work: () => Result,
): Promise<Result> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StoreBusyError) || performance.now() >= endMs) throw error;
      await pause(pauseMs);
    }
  }
}

/** The same for a `work` that hardly ever has to wait: what it gives at once is given at once. Never throws. */
export function nowOrWhileStoreBusy<Result>(
  patienceMs: number,
  work: () => Result,
): Result | Promise<Result> {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreBusyError) return whileStoreBusy(patienceMs, work);
    return Promise.reject<Result>(error);
  }
}
