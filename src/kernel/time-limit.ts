import { AppError } from './app-error.ts';

/** Something did not finish in the time it was given. */
export class TimeLimitError extends AppError {
  readonly code = 'kernel.time_limit';
  override readonly retryable = true;

  constructor(what: string, limitMs: number) {
    super(`${what} did not finish within ${limitMs} ms`, { details: { limitMs } });
  }
}

/** What is to be done, for how long at most, and who else may end it. */
export interface TimeLimit {
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
