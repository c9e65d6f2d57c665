import { AppError } from '../kernel/index.ts';
import type { Params, RpcError } from '../protocol/index.ts';

/** A client reached the limit of concurrent requests. */
export class TooManyRequestsError extends AppError {
  readonly code = 'gateway.too_many_requests';
  override readonly retryable = true;

  constructor(limit: number) {
    super(
      `The request was refused: ${limit} requests are running, which is the limit. Wait for one to finish`,
      { details: { limit } },
    );
  }
}

/** A client reached the limit of subscriptions. */
export class TooManySubscriptionsError extends AppError {
  readonly code = 'gateway.too_many_subscriptions';

  constructor(limit: number) {
    super(`This client has ${limit} subscriptions, which is the limit. End one first`, {
      details: { limit },
    });
  }
}

/** The session limit is reached, and every session is in use. */
export class TooManySessionsError extends AppError {
  readonly code = 'gateway.too_many_sessions';
  override readonly retryable = true;

  constructor(limit: number) {
    super(`${limit} sessions are open and in use, which is the limit. Try again later`, {
      details: { limit },
    });
  }
}

/** The work ended because the gateway is closing or the client is gone. */
export class ConnectionClosedError extends AppError {
  readonly code = 'gateway.connection_closed';

  constructor() {
    super('The request was stopped: its connection closed');
  }
}

/** The client asked to stop its request. */
export class RequestCancelledError extends AppError {
  readonly code = 'gateway.request_cancelled';

  constructor() {
    super('The request was stopped: the client cancelled it');
  }
}

/** Why a client did not answer a request. */
export type RefusalReason =
  | 'missing_capability'
  | 'unreachable'
  | 'too_many'
  | 'error'
  | 'no_answer';

/** A server's request to the client has no answer: the client refused it or could not be asked. */
export class ClientRefusedError extends AppError {
  readonly code = 'gateway.client_refused';

  constructor(
    method: string,
    refusal: {
      readonly reason: RefusalReason;
      readonly because: string;
      /** The error the client answered with. */
      readonly rpc?: RpcError;
      readonly requiredCapabilities?: Params;
    },
  ) {
    const { because, ...details } = refusal;
    super(`The client gave no answer to "${method}": ${because}`, {
      details: { method, ...details },
    });
  }
}

/** The limit of calls waiting for client input is reached. */
export class TooManyWaitingCallsError extends AppError {
  readonly code = 'gateway.too_many_waiting_calls';
  override readonly retryable = true;

  constructor(limit: number) {
    super(
      `The client could not be asked: ${limit} calls are waiting for client input, which is the limit. Try again later`,
      { details: { limit } },
    );
  }
}

/** The client did not return with the input its call was waiting for. */
export class InputExpiredError extends AppError {
  readonly code = 'gateway.input_expired';

  constructor(limitMs: number) {
    super(
      `The call was stopped: the input it asked the client for did not come within ${limitMs} ms. Call again`,
      { details: { limitMs } },
    );
  }
}
