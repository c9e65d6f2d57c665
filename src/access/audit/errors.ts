import { AppError } from '../../kernel/index.ts';

/** The audit log cannot take another entry: what would have to be recorded is refused. */
export class AuditUnavailableError extends AppError {
  readonly code = 'access.audit_unavailable';
  override readonly retryable = true;

  constructor(waiting: number, reason: string) {
    super(
      `The request was refused because it cannot be recorded: ${waiting} entries wait to be written to the audit log (${reason})`,
      { details: { waiting } },
    );
  }
}
