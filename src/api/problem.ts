import { errorCodes, type ErrorCodeEntry } from '../contract/error/index.ts';
import type { JsonAnswer, Refusal } from '../http/index.ts';
import { AppError } from '../kernel/index.ts';
import { refusalError } from './errors.ts';

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
