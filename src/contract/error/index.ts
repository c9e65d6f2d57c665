import data from './error-codes.json' with { type: 'json' };

/** What a user reads about an error code in `docs/errors.md`. */
export interface ErrorCodeEntry {
  /** What happened, one sentence. */
  readonly meaning: string;
  /** What to do about it, one sentence. */
  readonly remedy: string;
  /**
   * The terminal prints the remedy below the message, with `RUN` and `NAME` filled in from the error's details.
   * Left out where messages say what to do, and where the remedy does not fit every error of the code.
   */
  readonly isHint?: true;
  /** The terminal's exit code when a command ends with it: 1 failed, 2 usage or configuration, 3 refused, 4 needs an answer, 130 cancelled. */
  readonly exitCode: 1 | 2 | 3 | 4 | 130;
  /** The HTTP status a face answers with when the whole request failed with it. */
  readonly httpStatus: number;
}

/**
 * Every error code there is. `test/error-codes.test.ts` proves that the sources use just these and that every entry has
 * the shape above; a schema here would be loaded at the start of every command.
 */
export const errorCodes = data as Readonly<Record<keyof typeof data, ErrorCodeEntry>>;

/** An error as it crosses a process boundary. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
