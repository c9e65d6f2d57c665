/** What a user reads about an error code in `docs/errors.md`. */
export interface ErrorCodeEntry {
  /** What happened, one sentence. */
  readonly meaning: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /** The terminal's exit code when a command ends with it: 1 failed, 2 usage or configuration, 3 refused. */
  readonly exitCode: 1 | 2 | 3;
  /** The HTTP status a face answers with when the whole request failed with it. */
  readonly httpStatus: number;
}

/** Every error code there is. `test/error-codes.test.ts` proves that the sources use just these. */
export const errorCodes = {
  'internal.bug': {
    meaning: 'Something happened that Tutti did not foresee.',
    remedy: 'Look at the log for the stack, and report it with the trace id.',
    exitCode: 1,
    httpStatus: 500,
  },
  'kernel.time_limit': {
    meaning: 'The work did not finish in the time it was given.',
    remedy: 'Raise the limit named in the message, or give it less to do.',
    exitCode: 1,
    httpStatus: 504,
  },
  'kernel.too_busy': {
    meaning: 'As many calls as allowed are running, and the queue is full.',
    remedy: 'Try again later, or raise `performance.max_concurrent_requests`.',
    exitCode: 1,
    httpStatus: 503,
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

export type ErrorCode = keyof typeof errorCodes;
