import { errorCodes, type ErrorCodeEntry } from '../contract/error/index.ts';
import { wireTextOf, withWireText } from '../contract/wire/index.ts';
import { AppError, type Log } from '../kernel/index.ts';
import { isRecord, rawMember, rpcErrorCode, type Era, type RpcError } from '../protocol/index.ts';
import { spliceMembers } from './splice-members.ts';

/** A failure with a ready JSON-RPC error. */
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

const maxShownLength = 100;

export function unknownMethod(method: string): RpcFailure {
  const shown = method.length > maxShownLength ? `${method.slice(0, maxShownLength)}…` : method;
  return new RpcFailure({
    code: rpcErrorCode.methodNotFound,
    message: `Method not found: ${shown}`,
  });
}

/** The subject of a failed request: `tool "x"`. */
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

/** Maps anything thrown by a request to the error for its client. Logs bugs, once. */
export function explainFailure(thrown: unknown, request: FailedRequest): RpcError {
  if (thrown instanceof RpcFailure) return thrown.error;
  if (!(thrown instanceof AppError)) {
    request.log.error('request failed unexpectedly', { method: request.method, error: thrown });
    return {
      code: rpcErrorCode.internalError,
      message: "Internal error: the request failed unexpectedly. See the server's log",
      data: { code: 'internal.bug', details: {} },
    };
  }
  const passed = upstreamError(thrown);
  if (passed) return passed;
  const { code, message, details } = thrown;
  const data = { code, details };
  const status = statusOf(thrown);
  if (status === 404) return explainUnknown(request, { message, data });
  const isWrong = status === 400;
  return { code: isWrong ? rpcErrorCode.invalidParams : rpcErrorCode.internalError, message, data };
}

/** The key in `data` that names the upstream server of an error. */
const originKey = 'tutti/server';

/**
 * The error of an upstream server, unchanged except that `data` gains the server's name, unless `data` is not an
 * object. The rest keeps its wire text.
 */
function upstreamError({ code, details }: AppError): RpcError | undefined {
  const { rpc, server } = details;
  if (code !== 'fleet.upstream_error' || !isRecord(rpc)) return undefined;
  const { code: rpcCode, message, data } = rpc;
  if (typeof rpcCode !== 'number' || typeof message !== 'string') return undefined;
  const members = data === undefined ? {} : isRecord(data) ? data : undefined;
  const origin = typeof server === 'string' ? { [originKey]: server } : {};
  const error = { code: rpcCode, message, data: members ? { ...members, ...origin } : data };
  const dataText = rawMember(wireTextOf(rpc) ?? '{}', 'data');
  if (dataText === undefined) return error;
  const originTexts = Object.entries(origin).map(([key, name]) => [key, JSON.stringify(name)]);
  const added: Record<string, string> = Object.fromEntries(originTexts);
  const passed = members ? spliceMembers(dataText, members, added) : dataText;
  const start = JSON.stringify({ code: rpcCode, message }).slice(0, -1);
  return withWireText(error, `${start},"data":${passed}}`);
}

/** Whether the requested name does not exist. */
export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof AppError && statusOf(thrown) === 404;
}

/** The HTTP status of an error code; undefined for codes outside the table. */
function statusOf({ code }: AppError): number | undefined {
  const table: Readonly<Record<string, ErrorCodeEntry>> = errorCodes;
  return Object.hasOwn(table, code) ? table[code]?.httpStatus : undefined;
}

function explainUnknown(
  { subject, era }: FailedRequest,
  { message, data }: { readonly message: string; readonly data: object },
): RpcError {
  if (subject?.kind !== 'resource') return { code: rpcErrorCode.invalidParams, message, data };
  return {
    code: era === 'handshake' ? rpcErrorCode.resourceNotFound : rpcErrorCode.invalidParams,
    message,
    data: { uri: subject.name, ...data },
  };
}
