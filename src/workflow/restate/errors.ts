import { AppError } from '../../kernel/index.ts';

/** Restate does not answer at its address. */
export class RestateUnreachableError extends AppError {
  readonly code = 'workflow.restate_unreachable';
  override readonly retryable = true;

  constructor(where: { readonly url: string; readonly wanted: string }, cause: unknown) {
    super(
      `Restate did not answer at ${where.url}, so ${where.wanted} was not done: ${reasonOf(cause)}. ` +
        'Start it (docs/restate.md says how), correct "workflow.restate.ingress_url" and "workflow.restate.admin_url", or use "--engine embedded"',
      { details: { url: where.url }, cause },
    );
  }
}

/** Restate answered with a refusal. */
export class RestateRefusedError extends AppError {
  readonly code = 'workflow.restate_refused';
  override readonly retryable: boolean;

  constructor(request: {
    readonly url: string;
    readonly wanted: string;
    readonly status: number;
    readonly answer: string;
  }) {
    super(
      `Restate at ${request.url} refused, so ${request.wanted} was not done: ${request.status} ${request.answer}`,
      { details: { url: request.url, status: request.status } },
    );
    this.retryable = request.status >= 500 || request.status === 429;
  }
}

/** Restate knows no worker that executes runs. */
export class NoRestateWorkerError extends AppError {
  readonly code = 'workflow.restate_no_worker';
  override readonly retryable = true;

  constructor(runId: string) {
    super(
      `Run ${runId} was stored and waits: no worker was ever registered with Restate. Start one with "tutti worker --engine restate"`,
      { details: { runId } },
    );
  }
}

/** Restate gave a worker a run that is not in the worker's data directory. */
export class RunNotHereError extends AppError {
  readonly code = 'workflow.run_not_here';
  override readonly retryable = true;

  constructor(runId: string) {
    super(
      `Run ${runId} is not in this worker's data directory. All workers behind one Restate, and the processes that start runs on it, need the same TUTTI_HOME`,
      { details: { runId } },
    );
  }
}

/** The worker's address could not be listened on. */
export class WorkerAddressError extends AppError {
  readonly code = 'workflow.worker_address';

  constructor(address: { readonly host: string; readonly port: number }, cause: unknown) {
    super(
      `The worker cannot listen on ${address.host}:${address.port}: ${reasonOf(cause)}. Choose another "workflow.restate.worker_port", or 0 for a free one`,
      { details: { ...address }, cause },
    );
  }
}

/** What `fetch` throws says just "fetch failed"; why stands in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  // A refused connection to several addresses: the reasons are one level deeper.
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return error.message;
}
