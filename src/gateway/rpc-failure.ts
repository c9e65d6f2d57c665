import { AppError, type Log } from '../kernel/index.ts';
import { rpcErrorCode, type Era, type RpcError } from '../protocol/index.ts';

/** A refusal that is already in the protocol's own words. */
export class RpcFailure extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

export function invalidParams(message: string): RpcFailure {
  return new RpcFailure({ code: rpcErrorCode.invalidParams, message });
}

/** What was asked for, to explain a failure: `tool "x"`. */
export interface Subject {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
}

export interface FailedRequest {
  readonly method: string;
  readonly era: Era;
  readonly subject: Subject | undefined;
  readonly log: Log;
}

/** Anything thrown while a request was served, as the error its client reads. Logs bugs, once. */
export function explainFailure(thrown: unknown, request: FailedRequest): RpcError {
  if (thrown instanceof RpcFailure) return thrown.error;
  if (!(thrown instanceof AppError)) {
    request.log.error('request failed unexpectedly', { method: request.method, error: thrown });
    return {
      code: rpcErrorCode.internalError,
      message: 'Internal error: the request failed unexpectedly. The log of the server says why',
      data: { code: 'internal.bug', details: {} },
    };
  }
  const data = { code: thrown.code, details: thrown.details };
  const { subject } = request;
  if (subject && thrown.code.endsWith('not_found')) {
    return explainUnknown(subject, request.era, { message: thrown.message, data });
  }
  const isArguments = thrown.code.endsWith('invalid_arguments');
  const code = isArguments ? rpcErrorCode.invalidParams : rpcErrorCode.internalError;
  return { code, message: thrown.message, data };
}

function explainUnknown(
  subject: Subject,
  era: Era,
  cause: { readonly message: string; readonly data: object },
): RpcError {
  if (subject.kind !== 'resource') {
    const message = `Unknown ${subject.kind} "${subject.name}". ${cause.message}`;
    return { code: rpcErrorCode.invalidParams, message, data: cause.data };
  }
  return {
    code: era === 'handshake' ? rpcErrorCode.resourceNotFound : rpcErrorCode.invalidParams,
    message: `Resource not found. ${cause.message}`,
    data: { uri: subject.name, ...cause.data },
  };
}
