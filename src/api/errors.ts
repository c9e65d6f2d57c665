import type { Permission } from '../contract/access/index.ts';
import { type ErrorCodeEntry, errorCodes } from '../contract/error/index.ts';
import type { JsonAnswer, Refusal } from '../http/index.ts';
import { AppError } from '../kernel/index.ts';

/** One thing wrong with a request. */
export interface RequestIssue {
  readonly in: 'path' | 'query' | 'body' | 'header';
  /** Where: `limit`, `steps[2].id`; empty for all of it. */
  readonly path: string;
  readonly message: string;
}

export class InvalidRequestError extends AppError {
  readonly code = 'api.invalid_request';

  constructor(issues: readonly RequestIssue[]) {
    const shown = issues.slice(0, maxIssues);
    const texts = shown.map(({ in: part, path, message }) =>
      path === '' ? `${part}: ${message}` : `${part} "${path}": ${message}`,
    );
    super(`The request does not fit this route. ${texts.join('; ')}`, {
      details: { errors: shown },
    });
  }
}

const maxIssues = 20;

export class NoSuchRouteError extends AppError {
  readonly code = 'api.no_such_route';

  constructor(method: string, path: string) {
    super(`${method} ${path} is not a route of this API. GET /api/openapi.json lists all routes`);
  }
}

export class MethodNotAllowedError extends AppError {
  readonly code = 'api.method_not_allowed';

  constructor(method: string, allowed: readonly string[]) {
    super(`${method} is not a method of this path; it has ${allowed.join(' and ')}`, {
      details: { allowed },
    });
  }
}

export class NotPermittedError extends AppError {
  readonly code = 'api.not_permitted';

  constructor(permission: Permission) {
    super(
      `This needs the permission "${permission}", and the role of the caller does not have it`,
      {
        details: { permission },
      },
    );
  }
}

/** Also for objects of other callers: the answer is the same. */
export class NotFoundError extends AppError {
  readonly code = 'api.not_found';

  constructor(kind: string, id: string) {
    super(`There is no ${kind} "${id}"`, { details: { kind } });
  }
}

export class NotAvailableError extends AppError {
  readonly code = 'api.not_available';

  constructor(what: string) {
    super(`This server has no ${what}`, { details: { what } });
  }
}

export class IdempotencyKeyReusedError extends AppError {
  readonly code = 'api.idempotency_key_reused';

  constructor() {
    super('This Idempotency-Key was used for another request. Send a new key');
  }
}

export class RequestInProgressError extends AppError {
  readonly code = 'api.request_in_progress';
  override readonly retryable = true;

  constructor() {
    super('A request with this Idempotency-Key is in progress. Send the same request again later');
  }
}

/** The first request was not answered, or its answer was not kept; repeating it might do it twice. */
export class AnswerLostError extends AppError {
  readonly code = 'api.answer_lost';

  constructor(reason: string) {
    super(
      `A request with this Idempotency-Key was made before, and ${reason}. ` +
        'Look at the state of what it was about, then send a new key if it is still to be done',
    );
  }
}

export class TooManyStreamsError extends AppError {
  readonly code = 'api.too_many_streams';
  override readonly retryable = true;

  constructor(maxStreams: number) {
    super(`${maxStreams} event streams are open, which is the limit. Close one, or poll the run`);
  }
}

export class TooManyTurnsError extends AppError {
  readonly code = 'api.too_many_turns';
  override readonly retryable = true;

  constructor(maxTurns: number) {
    super(`${maxTurns} turns are in progress, which is the limit. Wait for one, or cancel it`);
  }
}

export class UnsatisfiableRangeError extends AppError {
  readonly code = 'api.range_not_satisfiable';

  constructor(range: string, bytes: number) {
    super(`The range "${range}" lies outside of the ${bytes} bytes of this artifact`, {
      details: { bytes },
    });
  }
}

/** What the listener refuses before the API sees it. */
class UnauthenticatedError extends AppError {
  readonly code = 'api.unauthenticated';
}

class ForeignOriginError extends AppError {
  readonly code = 'api.foreign_origin';
}

class TooLargeError extends AppError {
  readonly code = 'api.too_large';
}

class UnsupportedMediaTypeError extends AppError {
  readonly code = 'api.unsupported_media_type';
}

class MalformedRequestError extends AppError {
  readonly code: string = 'api.invalid_request';
}

class TooManyRequestsError extends AppError {
  readonly code = 'api.too_many_requests';
  override readonly retryable = true;
}

class DrainingError extends AppError {
  readonly code = 'api.draining';
  override readonly retryable = true;
}

class RefusedMethodError extends AppError {
  readonly code: string = 'api.method_not_allowed';
}

const refusals: Readonly<Partial<Record<number, new (message: string) => AppError>>> = {
  400: MalformedRequestError,
  401: UnauthenticatedError,
  403: ForeignOriginError,
  405: RefusedMethodError,
  413: TooLargeError,
  415: UnsupportedMediaTypeError,
  429: TooManyRequestsError,
  503: DrainingError,
};

/** A refusal of the listener as an error of the API; undefined for a bug. */
function refusalError(status: number, message: string): AppError | undefined {
  const Refused = refusals[status];
  return Refused && new Refused(message);
}

/** RFC 9457 problem details with our stable code. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const entries = new Map<string, ErrorCodeEntry>(Object.entries(errorCodes));

export const problemType = 'application/problem+json';

/** Anything thrown as a problem. What is no `AppError` is a bug: its message stays in the log. */
export function problemOf(error: unknown): Problem {
  const code = error instanceof AppError ? error.code : 'internal.bug';
  const entry: ErrorCodeEntry = entries.get(code) ?? errorCodes['internal.bug'];
  const detail =
    error instanceof AppError ? error.message : "An internal error occurred; see the server's log";
  const details = error instanceof AppError ? error.details : {};
  return {
    type: `urn:tutti:error:${code}`,
    title: entry.meaning,
    status: entry.httpStatus,
    code,
    detail,
    hint: entry.remedy,
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** How the listener writes what it refuses on the paths of the API. */
export function problemRefusal({ status, message, headers }: Refusal): JsonAnswer {
  const problem = { ...problemOf(refusalError(status, message)), status };
  return {
    status,
    text: JSON.stringify(problem),
    headers: { ...headers, 'content-type': problemType },
  };
}
