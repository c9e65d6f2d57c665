import type { Worker } from 'node:worker_threads';

/** A thread that computes ends within milliseconds. */
const stopLimitMs = 5_000;

/**
 * Stops a worker thread. One that hangs in a call of the system cannot be stopped before that call returns:
 * after a limit it is waited for no longer, and ends by itself when it can.
 */
export async function stopWorker(
  worker: Pick<Worker, 'terminate' | 'unref'>,
  limitMs = stopLimitMs,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([worker.terminate(), limit]);
  clearTimeout(timer);
  worker.unref();
}
