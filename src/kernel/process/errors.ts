import { AppError } from '../app-error.ts';

/** A program could not be started; nothing of it runs. */
export class ProcessNotStartedError extends AppError {
  readonly code = 'kernel.process_not_started';
  override readonly retryable: boolean;

  constructor(command: string, failure: StartFailure) {
    super(`The program "${command}" was not started: ${failure.reason}. ${failure.remedy}`, {
      details: { command, reason: failure.reason },
      cause: failure.cause,
    });
    this.retryable = failure.isTemporary;
  }
}

export interface StartFailure {
  /** Why, as the second half of a sentence. */
  readonly reason: string;
  /** What to do, without the full stop. */
  readonly remedy: string;
  /** True when a later attempt may succeed. */
  readonly isTemporary: boolean;
  readonly cause?: unknown;
}
