import type { CallContext, ProgressUpdate } from '../../contract/server/index.ts';
import type { Timers } from '../../kernel/index.ts';

/** Less than anybody waits for a sign of life. */
const signEveryMs = 10_000;

/**
 * Repeats the last progress while `work` goes on: a model and a compiler may take longer than calls may be silent,
 * and each has a time limit of its own.
 */
export async function keepAlive<Result>(
  timers: Timers,
  context: CallContext,
  work: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  let last: ProgressUpdate = { progress: 0 };
  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = timers.after(signEveryMs, () => {
      context.progress(last);
      schedule();
    });
  };
  const progress = (update: ProgressUpdate): void => {
    last = update;
    context.progress(update);
  };
  schedule();
  try {
    // Named, because the signal of a call may be made only when it is looked at, and a copy would lose it.
    return await work({ ...context, signal: context.signal, progress });
  } finally {
    cancel();
  }
}
