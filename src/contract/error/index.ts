export { errorCodes, type ErrorCodeEntry } from './error-codes.ts';

/** An error as it crosses a process boundary. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
