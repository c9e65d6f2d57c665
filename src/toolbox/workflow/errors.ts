import { AppError } from '../../kernel/index.ts';

/** A run that was waited for ended without success. */
export class RunNotSucceededError extends AppError {
  readonly code = 'workflow.run_not_succeeded';

  constructor(run: { readonly runId: string; readonly status: string; readonly reason: string }) {
    const { runId, status, reason } = run;
    super(
      `Run ${runId} ${status === 'cancelled' ? 'was cancelled' : 'failed'}${reason === '' ? '' : `: ${reason}`}. ` +
        `"tutti runs show ${runId}" tells what each step did, "tutti runs retry ${runId}" tries again what failed`,
      { details: { runId, status } },
    );
  }
}

/** A request about a task that cannot be served. */
export class InvalidTaskRequestError extends AppError {
  readonly code = 'workflow.invalid_task_request';

  constructor(reason: string) {
    super(`The request about a task was refused: ${reason}`, { details: { reason } });
  }
}
