import type { ErrorReport } from '../../contract/error/index.ts';
import { errorMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { AppError, reportError } from '../../kernel/index.ts';
import { DeferredResultError, ToolFailedError } from './errors.ts';
import { measureJson } from './measure-json.ts';

/** Why a call gave no result that can be used. */
export interface CallFailure {
  readonly error: ErrorReport;
  /** The same call may succeed later without anybody changing anything. */
  readonly isRetryable: boolean;
  /** What the call was to do may have been done nevertheless. */
  readonly isUncertain: boolean;
}

/**
 * Codes that tell of a passing trouble. They stand here because codes, not classes, come out of a server:
 * whether a failure was marked as retryable is lost on the way.
 */
export const passingCodes: ReadonlySet<string> = new Set([
  'code.osv_unreachable',
  'fleet.exchange_broken',
  'fleet.outcome_unknown',
  'fleet.server_not_reading',
  'fleet.server_unavailable',
  'fleet.session_expired',
  'fleet.unreachable',
  'gateway.too_many_requests',
  'kernel.time_limit',
  'kernel.too_busy',
  'sandbox.too_busy',
  'store.busy',
  'store.disk_full',
]);

/** Codes of calls that were sent and whose answer is missing or useless. All others were refused or answered. */
export const uncertainCodes: ReadonlySet<string> = new Set([
  'fleet.answer_too_large',
  'fleet.bad_answer',
  'fleet.exchange_broken',
  'fleet.outcome_unknown',
  'kernel.time_limit',
  'toolbox.invalid_output',
  'toolbox.worker_died',
]);

const passingStatuses: ReadonlySet<unknown> = new Set([429, 502, 503, 504]);
/** Too many requests and "unavailable" are said before anything is done. */
const refusedStatuses: ReadonlySet<unknown> = new Set([429, 503]);
/** What the reference implementations answer when something behind them took too long. */
const rpcTimeout = -32_001;

/** Failures stand in the journal, whatever somebody put into them. */
const maxMessageLength = 4_000;
const maxDetailBytes = 65_536;

/** What was thrown instead of a result; not for cancellations. */
export function failureOfThrown(thrown: unknown): CallFailure {
  const failure = failureOf(boundedReport(reportError(thrown)));
  if (!(thrown instanceof AppError)) return { ...failure, isUncertain: true };
  return { ...failure, isRetryable: failure.isRetryable || thrown.retryable };
}

/** Undefined when the result is one. */
export function failureOfResult(tool: string, result: ToolResult): CallFailure | undefined {
  if (result.isError === true) return failureOf(carriedError(tool, result));
  const { resultType } = result;
  if (resultType !== 'input_required' && resultType !== 'task') return undefined;
  const error = reportError(new DeferredResultError(tool, resultType));
  // A task has been begun, and goes on though nobody waits for it.
  return { error, isRetryable: false, isUncertain: resultType === 'task' };
}

function failureOf(error: ErrorReport): CallFailure {
  const { code, details } = error;
  if (code === 'fleet.http_status') {
    const status = details['status'];
    const isUncertain = typeof status === 'number' && status >= 500 && !refusedStatuses.has(status);
    return { error, isRetryable: passingStatuses.has(status), isUncertain };
  }
  return {
    error,
    isRetryable: passingCodes.has(code) || details['retryable'] === true,
    isUncertain: uncertainCodes.has(code) || isTimeout(details['rpc']),
  };
}

function isTimeout(rpc: unknown): boolean {
  return typeof rpc === 'object' && rpc !== null && 'code' in rpc && rpc.code === rpcTimeout;
}

function carriedError(tool: string, { content, _meta }: ToolResult): ErrorReport {
  const carried: unknown = _meta?.[errorMetaKey];
  if (isRecord(carried) && typeof carried['code'] === 'string') {
    const { code, message, details } = carried;
    return boundedReport({
      code,
      message: typeof message === 'string' ? message : code,
      details: isRecord(details) ? details : {},
    });
  }
  return boundedReport(reportError(new ToolFailedError(tool, textOf(content))));
}

function boundedReport({ code, message, details }: ErrorReport): ErrorReport {
  const isKept = measureJson(details) <= maxDetailBytes;
  return { code, message: shorten(message), details: isKept ? details : { isOmitted: true } };
}

/** All text of a result, block by block. */
export function textOf(content: ToolResult['content']): string {
  const [only] = content;
  if (content.length === 1 && typeof only?.['text'] === 'string') return only['text'];
  return content
    .map((block) => block['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

function shorten(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
