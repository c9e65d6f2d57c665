import { AppError } from '../../kernel/index.ts';

/** The container engine did not do what it was asked. */
export class DockerRequestError extends AppError {
  readonly code = 'sandbox.docker_request_failed';
  /** Null when there was no answer at all. */
  readonly status: number | null;
  /** Without the attempt. */
  readonly reason: string;

  constructor(attempt: string, status: number | null, reason: string) {
    super(`The container engine did not answer "${attempt}" as hoped: ${reason}`, {
      details: { attempt, status, reason },
    });
    this.status = status;
    this.reason = reason;
  }
}
