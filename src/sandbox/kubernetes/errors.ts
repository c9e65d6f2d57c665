import { AppError } from '../../kernel/index.ts';

/** We do not know where a cluster is or who we are there. */
export class ClusterAccessError extends AppError {
  readonly code = 'sandbox.cluster_unknown';

  constructor(what: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Could not read how to reach Kubernetes from ${what}: ${reason}. ` +
        'Set "sandbox.kubernetes.kubeconfig", or KUBECONFIG',
      { cause },
    );
  }
}

/** The API server refused or could not be reached. */
export class ClusterRequestError extends AppError {
  readonly code = 'sandbox.cluster_failed';
  override readonly retryable: boolean;
  readonly status: number | null;

  constructor(attempt: string, status: number | null, reason: string) {
    super(`${attempt} failed: ${reason}`, { details: { status } });
    this.status = status;
    this.retryable = status === null || status >= 500 || status === 429;
  }
}
