import { AppError } from '../../kernel/index.ts';
import type { RpcError } from '../../protocol/index.ts';

/** The server answered a request with an error; `details.rpc` holds it as it came. */
export class UpstreamError extends AppError {
  readonly code = 'fleet.upstream_error';
  readonly rpc: RpcError;

  constructor(server: string, method: string, rpc: RpcError) {
    super(`Server "${server}" answered ${method} with an error: ${rpc.message} (${rpc.code})`, {
      details: { server, method, rpc },
    });
    this.rpc = rpc;
  }
}

/** The request did not reach the server, or asked only to read: it may be sent again. */
export class ServerUnavailableError extends AppError {
  readonly code = 'fleet.server_unavailable';
  override readonly retryable = true;
  /** What happened, without the name of the server. */
  readonly reason: string;

  constructor(server: string, reason: string, cause?: unknown) {
    super(`Server "${server}" cannot be reached: ${reason}`, { details: { server }, cause });
    this.reason = reason;
  }
}

export interface LostCall {
  readonly server: string;
  /** `Tool "x"`, or the method. */
  readonly what: string;
  readonly reason: string;
  /** True when running it twice does no harm: then trying again is safe. */
  readonly isRepeatable: boolean;
}

/** The call was sent and the connection was lost before its answer: it may have run or not. */
export class OutcomeUnknownError extends AppError {
  readonly code = 'fleet.outcome_unknown';
  override readonly retryable: boolean;

  constructor({ server, what, reason, isRepeatable }: LostCall, cause?: unknown) {
    super(
      `${what} of server "${server}" may or may not have run: ${reason}. ` +
        'Check what it was to change before you call it again',
      { details: { server, what }, cause },
    );
    this.retryable = isRepeatable;
  }
}

/** The server and we have no protocol version in common, or it never introduced itself. */
export class NegotiationError extends AppError {
  readonly code = 'fleet.negotiation_failed';

  constructor(server: string, reason: string, cause?: unknown) {
    super(`Server "${server}" could not be opened: ${reason}`, { details: { server }, cause });
  }
}

/** The server needs an answer of its caller, and there is none who could give it. */
export class InputRequiredError extends AppError {
  readonly code = 'fleet.input_required';

  constructor(server: string, what: string, reason: string) {
    super(`${what} of server "${server}" needs an answer of the user: ${reason}`, {
      details: { server, what },
    });
  }
}
