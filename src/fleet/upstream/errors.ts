import { AppError } from '../../kernel/index.ts';
import type { RpcError } from '../../protocol/index.ts';

/** The server answered with an error; `details.rpc` holds it unchanged. */
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

/** The request did not reach the server, or was read-only: it may be resent. */
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
  /** True when it is safe to run twice. */
  readonly isRepeatable: boolean;
}

/** The connection was lost before the response: the call may or may not have run. */
export class OutcomeUnknownError extends AppError {
  readonly code = 'fleet.outcome_unknown';
  override readonly retryable: boolean;

  constructor({ server, what, reason, isRepeatable }: LostCall, cause?: unknown) {
    super(
      `${what} of server "${server}" may or may not have run: ${reason}. ` +
        'Check its effects before calling it again',
      { details: { server, what }, cause },
    );
    this.retryable = isRepeatable;
  }
}

/** There is no common protocol version, or the server did not complete the handshake. */
export class NegotiationError extends AppError {
  readonly code = 'fleet.negotiation_failed';

  constructor(server: string, reason: string, cause?: unknown) {
    super(`Server "${server}" could not be opened: ${reason}`, { details: { server }, cause });
  }
}

/** The server needs user input, and the client cannot provide it. */
export class InputRequiredError extends AppError {
  readonly code = 'fleet.input_required';

  constructor(server: string, what: string, reason: string) {
    super(`${what} of server "${server}" needs input from the user: ${reason}`, {
      details: { server, what },
    });
  }
}
