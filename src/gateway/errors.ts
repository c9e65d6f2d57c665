import { AppError } from '../kernel/index.ts';
import type { Params, RpcError } from '../protocol/index.ts';

/** One client, or all that are not told apart, have as many requests running as they may. */
export class TooManyRequestsError extends AppError {
  readonly code = 'gateway.too_many_requests';
  override readonly retryable = true;

  constructor(limit: number) {
    super(
      `The request was refused: ${limit} others are running, the most at once. Wait for one to finish`,
      { details: { limit } },
    );
  }
}

/** One client subscribed to as much as it may. */
export class TooManySubscriptionsError extends AppError {
  readonly code = 'gateway.too_many_subscriptions';

  constructor(limit: number) {
    super(`This client has ${limit} subscriptions, the most there can be. End one first`, {
      details: { limit },
    });
  }
}

/** Every place for a session is taken by one that is in use. */
export class TooManySessionsError extends AppError {
  readonly code = 'gateway.too_many_sessions';
  override readonly retryable = true;

  constructor(limit: number) {
    super(`${limit} sessions are open and in use, the most there can be. Try again later`, {
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

/** Why a client did not answer what it was asked. */
export type RefusalReason =
  | 'missing_capability'
  | 'unreachable'
  | 'too_many'
  | 'error'
  | 'no_answer';

/** A server asked the client something, and there is no answer: the client refused or could not be asked. */
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

/** As many calls wait for the input of their clients as may. */
export class TooManyWaitingCallsError extends AppError {
  readonly code = 'gateway.too_many_waiting_calls';
  override readonly retryable = true;

  constructor(limit: number) {
    super(
      `The client could not be asked: ${limit} calls wait for input of their clients, the most at once. Try again later`,
      { details: { limit } },
    );
  }
}

/** The client never came back with the input its call was waiting for. */
export class InputExpiredError extends AppError {
  readonly code = 'gateway.input_expired';

  constructor(limitMs: number) {
    super(
      `The call was stopped: the input it asked the client for did not come within ${limitMs} ms. Call again`,
      { details: { limitMs } },
    );
  }
}
