import { AppError } from '../kernel/index.ts';

/** A message with nothing in it, or more than the agent reads. */
export class InvalidMessageError extends AppError {
  readonly code = 'agent.invalid_message';

  constructor(reason: string) {
    super(`The message was not taken: ${reason}`, { details: { reason } });
  }
}
