import { AppError } from '../../kernel/index.ts';

/** The client's model answered with something that is no message. */
export class UnusableSampleError extends AppError {
  readonly code = 'models.bad_sample';

  constructor(reason: string) {
    super(
      `The client was asked for its model's answer (sampling/createMessage) and gave something else: ${reason}. ` +
        'Connect a model of your own, or another client.',
      { details: { reason } },
    );
  }
}
