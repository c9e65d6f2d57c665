import { localCaller } from '../../contract/caller/index.ts';
import { AppError } from '../../kernel/index.ts';

/** A person denied what the step was to do. */
export class ApprovalDeniedError extends AppError {
  readonly code = 'workflow.approval_denied';

  constructor(
    step: string,
    { by, reason }: { readonly by: string; readonly reason: string | undefined },
  ) {
    const why = reason === undefined ? '' : `: ${reason}`;
    const denied = by === localCaller.id ? 'approval was denied' : `${by} denied approval`;
    super(`Step "${step}" was not run: ${denied}${why}`, {
      details: { step, by, ...(reason === undefined ? {} : { reason }) },
    });
  }
}

/** No decision came in time. */
export class ApprovalExpiredError extends AppError {
  readonly code = 'workflow.approval_expired';

  constructor(step: string) {
    super(
      `Step "${step}" was not run: it was not approved before the request expired. Retry the run to ask again`,
      { details: { step } },
    );
  }
}

export class WaitTimedOutError extends AppError {
  readonly code = 'workflow.wait_timed_out';

  constructor(
    step: string,
    { signal, timeoutMs = 0 }: { readonly signal: string; readonly timeoutMs: number | undefined },
  ) {
    super(
      `Step "${step}" waited ${timeoutMs} ms for the signal "${signal}", which did not come. Send it earlier or raise its timeoutMs`,
      { details: { step, signal, timeoutMs } },
    );
  }
}

/** `forEach` was given something that has no elements. */
export class NotAListError extends AppError {
  readonly code = 'workflow.not_a_list';

  constructor(step: string, found: string) {
    super(
      `Step "${step}" could not begin: its forEach needs a list and was given ${found}. Refer to a list`,
      { details: { step, found } },
    );
  }
}

export class TooManyItemsError extends AppError {
  readonly code = 'workflow.too_many_items';

  constructor(step: string, { count, limit }: { readonly count: number; readonly limit: number }) {
    super(
      `Step "${step}" could not begin: its forEach has ${count} elements and ${limit} are allowed. Split the list, or raise workflow.max_items`,
      { details: { step, count, limit } },
    );
  }
}

export class InvalidDurationError extends AppError {
  readonly code = 'workflow.invalid_duration';

  constructor(step: string, found: string) {
    super(
      `Step "${step}" could not sleep: ${found} is no duration. Give milliseconds or a text such as "30s" or "2h"`,
      { details: { step, found } },
    );
  }
}

/** A signal that answers a question of the run holds something else than an answer. */
export class InvalidAnswerError extends AppError {
  readonly code = 'workflow.invalid_answer';

  constructor(step: string) {
    super(
      `Step "${step}" asked whether its effect had happened, and what came was no answer. Look whether it has, then retry the run`,
      { details: { step } },
    );
  }
}

/** An effect was sent, and its outcome is not known. */
export class OutcomeUnknownError extends AppError {
  readonly code = 'workflow.outcome_unknown';

  constructor(
    step: string,
    { message, effectId }: { readonly message: string; readonly effectId: string },
  ) {
    super(message, { details: { step, effectId } });
  }
}
