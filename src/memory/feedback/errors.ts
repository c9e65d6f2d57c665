import { AppError } from '../../kernel/index.ts';

/** There is nothing yet that could be rated. */
export class UnratableError extends AppError {
  readonly code = 'memory.nothing_to_rate';

  constructor(reason: string) {
    super(`The feedback was not stored: ${reason}`);
  }
}
