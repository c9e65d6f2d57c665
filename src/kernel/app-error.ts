import type { ErrorReport } from '../contract/error/index.ts';

/**
 * An explainable failure. Its message says what was attempted, on what and what happened; `code`
 * is stable, stands in `contract/error/error-codes.json` and is what crosses process boundaries.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;
  /** True when the same attempt may succeed later without any other change. */
  readonly retryable: boolean = false;
  /** What a program needs to react; plain JSON, never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What the terminal suggests below the message, empty for nothing; without one, what the table of codes says. */
  readonly hint: string | undefined;

  constructor(message: string, options: AppErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.details = options.details ?? {};
    this.hint = options.hint;
  }
}

export interface AppErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  readonly hint?: string | undefined;
}

/** Anything thrown, as data. What is not an `AppError` is a bug and gets `internal.bug`. */
export function reportError(error: unknown): ErrorReport {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal.bug', message, details: {} };
}
