import type { ErrorReport } from '../../contract/error/index.ts';
import { errorMetaKey, isOwnFailure, type ToolResult } from '../../contract/tool/index.ts';
import { AppError, reportError } from '../../kernel/index.ts';
import { DeferredResultError, ToolFailedError } from './errors.ts';
import { measureJson } from './held-values.ts';

/** Why a call gave no result that can be used. */
export interface CallFailure {
  readonly error: ErrorReport;
  /** The same call may succeed later without any change. */
  readonly isRetryable: boolean;
  /** What the call was to do may have been done nevertheless. */
  readonly isUncertain: boolean;
  /** A server outside answered that its tool failed: whether trying again helps is not known. */
  readonly isToolsWord?: true;
}

/**
 * Codes that tell of a passing trouble. They stand here because codes, not classes, come out of a server:
 * whether a failure was marked as retryable is lost on the way.
 */
export const passingCodes: ReadonlySet<string> = new Set([
  'access.audit_unavailable',
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

/** Codes of what may go wrong between us and a tool. A code of any other family is the tool's own word. */
const wayFamilies: ReadonlySet<string> = new Set([
  'access',
  'fleet',
  'internal',
  'kernel',
  'toolbox',
]);

/** Of those, the codes that prove that the tool was not called. All others prove nothing. */
export const unsentCodes: ReadonlySet<string> = new Set([
  'access.audit_unavailable',
  'fleet.input_required',
  'fleet.invalid_endpoint',
  'fleet.negotiation_failed',
  'fleet.not_found',
  'fleet.server_disabled',
  'fleet.server_not_reading',
  'fleet.server_unavailable',
  'fleet.tool_quarantined',
  'fleet.unknown_server',
  'fleet.unreachable',
  'kernel.process_not_started',
  'kernel.too_busy',
  'toolbox.invalid_arguments',
  'toolbox.not_found',
]);

/**
 * JSON-RPC errors for requests that are not carried out: no JSON, no request, unknown method, wrong parameters;
 * wrong header, missing capability, unknown version. No HTTP status is proof: any hop may have said it.
 */
const refusals: ReadonlySet<unknown> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022,
]);

const passingStatuses: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Failures stand in the journal, whatever a server put into them. */
const maxMessageLength = 4_000;
const maxDetailBytes = 65_536;

/** What was thrown instead of a result; not for cancellations. */
export function failureOfThrown(thrown: unknown): CallFailure {
  const failure = failureOf(boundedReport(reportError(thrown)));
  if (!(thrown instanceof AppError)) return { ...failure, isUncertain: true };
  return { ...failure, isRetryable: failure.isRetryable || thrown.retryable };
}

/** Undefined when the result is one. */
export function failureOfResult(
  { name, isTrusted }: { readonly name: string; readonly isTrusted?: boolean | undefined },
  result: ToolResult,
): CallFailure | undefined {
  if (result.isError === true) {
    const failure = failureOf(carriedError(name, result));
    if (isTrusted === true || isOwnFailure(result)) return failure;
    // Whatever code it carries: a stranger cannot say that its effect may be repeated.
    return { ...failure, isRetryable: false, isToolsWord: true };
  }
  const { resultType } = result;
  if (resultType !== 'input_required' && resultType !== 'task') return undefined;
  const error = reportError(new DeferredResultError(name, resultType));
  // A task was started and continues without a waiter.
  return { error, isRetryable: false, isUncertain: resultType === 'task' };
}

function failureOf(error: ErrorReport): CallFailure {
  const { code, details } = error;
  if (code === 'fleet.http_status') {
    return { error, isRetryable: passingStatuses.has(details['status']), isUncertain: true };
  }
  if (code === 'fleet.upstream_error') {
    const isRefusal = isRefused(details);
    return { error, isRetryable: !isRefusal, isUncertain: !isRefusal };
  }
  const [family = ''] = code.split('.', 1);
  return {
    error,
    isRetryable: passingCodes.has(code) || details['retryable'] === true,
    isUncertain: wayFamilies.has(family) && !unsentCodes.has(code),
  };
}

/** Only of the call itself: what comes later, as for the result of a task, is about something that has begun. */
function isRefused({ method, rpc }: ErrorReport['details']): boolean {
  const { code }: { readonly code?: unknown } = Object(rpc);
  return method === 'tools/call' && refusals.has(code);
}

function carriedError(tool: string, { content, _meta }: ToolResult): ErrorReport {
  const carried: unknown = _meta?.[errorMetaKey];
  if (isJsonObject(carried) && typeof carried['code'] === 'string') {
    const { code, message, details } = carried;
    return boundedReport({
      code,
      message: typeof message === 'string' ? message : code,
      details: isJsonObject(details) ? details : {},
    });
  }
  return boundedReport(reportError(new ToolFailedError(tool, textOf(content))));
}

function boundedReport({ code, message, details }: ErrorReport): ErrorReport {
  const isKept = measureJson(details) <= maxDetailBytes;
  return { code, message: shorten(message), details: isKept ? details : { isOmitted: true } };
}

/** All text of a result, block by block. */
function textOf(content: ToolResult['content']): string {
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

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a call gave: the value later steps refer to, and what the tool says about it. */
export interface GivenResult {
  readonly value: unknown;
  readonly text?: string | undefined;
}

export function givenBy(result: ToolResult): GivenResult {
  return { value: resultValue(result), text: resultText(result) };
}

/**
 * What a step's output is: the structured content, or without one `{content, text, json?}`: its blocks,
 * all their text, and what that says where it is JSON.
 */
export function resultValue({ structuredContent, content }: ToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const text = textOf(content);
  const json = parseJson(text);
  return json === undefined ? { content, text } : { content, text, json };
}

/** A summary, not a second copy of the result: runs are replayed from the journal this is kept in. */
const maxTextChars = 8_000;

/**
 * What the tool says about its structured result; undefined where there is none to summarize, or where the
 * text is that result as JSON.
 */
function resultText({ structuredContent, content }: ToolResult): string | undefined {
  if (structuredContent === undefined) return undefined;
  const text = textOf(content);
  if (text === '' || beginsLikeDocument.test(text)) return undefined;
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}…`;
}

const beginsLikeDocument = /^\s*(?:\{\s*["}]|\[\s*[[{"\]\d-])/;

/** How JSON can begin; words are looked at whole, so that prose is not parsed in vain. */
const beginsLikeJson = /^\s*(?:[{["\-\d]|(?:true|false|null)\s*$)/;

function parseJson(text: string): unknown {
  if (!beginsLikeJson.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
