import { lookupTable } from '../../kernel/index.ts';
import { ModelCallError, type ModelFailure, type ModelFailureCode } from '../errors.ts';
import { type Endpoint, quote } from './endpoint.ts';
import { PlainHeaders } from './plain-headers.ts';
import type { WireResponse } from './guarded-fetch.ts';

interface FailedResponse {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: string;
}

const noContext =
  /context[ _-]?(?:length|window|size)|maximum context|too many tokens|exceed_context|(?:prompt|input) is too long|reduce the length/i;
const noQuota = /insufficient_quota|exceeded your current quota|credit balance|billing/i;

/** What an answer with an error status means. */
export function failureOfStatus(response: FailedResponse, endpoint: Endpoint): ModelCallError {
  const { status, headers, body } = response;
  const said = quote(messageOf(body), endpoint.key);
  const words = body.slice(0, 4_096);
  const retryAfterMs = retryAfterOf(headers);
  const failure: ModelFailure = {
    model: endpoint.model,
    reason: `the server answered ${status}${said === '' ? '' : ` (${said})`}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  if (status >= 300 && status < 400) return redirected(headers, failure, endpoint);
  if (status === 402 || (status !== 401 && noQuota.test(words))) {
    return new ModelCallError('models.out_of_quota', failure);
  }
  if (status === 413 || noContext.test(words))
    return new ModelCallError('models.too_long', failure);
  return byStatus(status, failure);
}

function byStatus(status: number, failure: ModelFailure): ModelCallError {
  if (status === 401 || status === 403) return new ModelCallError('models.refused_key', failure);
  if (status === 404 || status === 405 || status === 410)
    return new ModelCallError('models.not_found', failure);
  if (status === 429) return new ModelCallError('models.rate_limited', failure);
  if (status === 408 || status === 409 || status === 425)
    return new ModelCallError('models.overloaded', failure);
  if (status >= 500 && status !== 501) return new ModelCallError('models.overloaded', failure);
  if (status >= 400) return new ModelCallError('models.refused_request', failure);
  return new ModelCallError('models.bad_answer', failure);
}

/** A redirect is not followed: it would pass the key to another server. */
function redirected(
  headers: FailedResponse['headers'],
  failure: ModelFailure,
  { key }: Endpoint,
): ModelCallError {
  const target = quote(headers.get('location') ?? 'nowhere', key);
  return new ModelCallError('models.not_found', {
    ...failure,
    reason: `${failure.reason} and points to ${target}; if that is right, put it into the settings`,
  });
}

/** What a body says is wrong, in the shapes that servers use. */
export function messageOf(body: string): string {
  const text = body.trim();
  if (text.startsWith('{')) {
    const found = messageIn(parse(text));
    if (found !== undefined) return found;
  }
  if (!text.startsWith('<')) return text;
  const title = /<title[^>]{0,200}>([^<]{1,200})/i.exec(text.slice(0, 4_096))?.[1];
  return `a page${title === undefined ? '' : ` titled "${title.trim()}"`}`;
}

function messageIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['error', 'message', 'detail', 'error_description']) {
    const inner: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (typeof inner === 'string' && inner !== '') return inner;
    if (typeof inner === 'object' && inner !== null && 'message' in inner) {
      return String(inner.message);
    }
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds of `retry-after-ms` or `retry-after`, which is in seconds or a date. */
export function retryAfterOf(
  headers: FailedResponse['headers'],
  now: number = Date.now(),
): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers.get('retry-after')?.trim() ?? '';
  if (text === '') return undefined;
  const given = Number(text) * 1_000;
  const waitMs = Number.isFinite(given) ? given : Date.parse(text) - now;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

const maxCauses = 8;

/** What a refused, broken or unreadable connection means; `isAnswering`: the answer had begun. */
export function failureOfWire(
  error: unknown,
  endpoint: Endpoint,
  { isAnswering }: { readonly isAnswering: boolean },
): ModelCallError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof ModelCallError);
  if (known !== undefined) return known;
  const code = causes.map(codeOf).find((found) => found !== '') ?? '';
  const deepest = causes.at(-1);
  const said = deepest instanceof Error ? deepest.message : String(deepest);
  const failure: ModelFailure = {
    model: endpoint.model,
    reason: explain(code, quote(said, endpoint.key)),
  };
  if (code.startsWith('HPE_')) return new ModelCallError('models.bad_answer', failure);
  if (isAnswering) return new ModelCallError('models.cut_off', failure);
  return new ModelCallError('models.unreachable', {
    ...failure,
    isLasting: lastingCodes.has(code),
  });
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && causes.length < maxCauses) {
    causes.push(current);
    const inner: unknown =
      current instanceof AggregateError
        ? current.errors[0]
        : (current as { cause?: unknown }).cause;
    current = inner;
  }
  return causes;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const lastingCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND']);

const explanations: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'nothing listens at that address; start the server or correct the address',
  ENOTFOUND: 'there is no host of that name; correct the address',
  EAI_AGAIN: 'the name of the host could not be looked up; is there a network?',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'the host does not respond',
  HPE_HEADER_OVERFLOW: 'the headers of its response are too long',
});

function explain(code: string, said: string): string {
  const known = explanations[code];
  if (known !== undefined) return `${known} (${code})`;
  if (/SSL|CERT|TLS|^EPROTO$/.test(code)) {
    return `no secure connection (${code}: ${said}); is the address https where it should be http?`;
  }
  return said === '' ? 'the connection failed' : said;
}

/** Errors of the AI SDK by the names it gives them. */
const byName: Readonly<Record<string, { readonly as: ModelFailureCode; readonly reason: string }>> =
  lookupTable({
    AI_JSONParseError: { as: 'models.bad_answer', reason: 'a piece of it is no JSON' },
    AI_TypeValidationError: { as: 'models.bad_answer', reason: 'a piece of it has another shape' },
    AI_InvalidResponseDataError: {
      as: 'models.cut_off',
      reason: 'it ended before the model said that it was complete',
    },
    AI_EmptyResponseBodyError: { as: 'models.empty_answer', reason: 'its response has no body' },
    AI_NoContentGeneratedError: { as: 'models.empty_answer', reason: 'its answer has no text' },
    AI_LoadAPIKeyError: { as: 'models.refused_key', reason: 'no key is set' },
  });

/** What servers put into `error.type` or `error.code` once the stream has begun. */
const byWord: readonly (readonly [RegExp, ModelFailureCode])[] = [
  [/insufficient_quota|billing/i, 'models.out_of_quota'],
  [/rate_?limit|too_many/i, 'models.rate_limited'],
  [/context_length|exceed_context|too long/i, 'models.too_long'],
  [/auth|api_key|permission/i, 'models.refused_key'],
];

/** What an error that came out of the AI SDK, or in the middle of its stream, means. */
export function failureOfSdk(error: unknown, endpoint: Endpoint): ModelCallError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof ModelCallError);
  if (known !== undefined) return known;
  const { model } = endpoint;
  for (const cause of causes) {
    const match = cause instanceof Error ? byName[cause.name] : undefined;
    if (match !== undefined)
      return new ModelCallError(match.as, { model, reason: match.reason, cause: undefined });
  }
  const status = statusOf(error);
  if (status !== undefined) {
    const body = JSON.stringify({ error: { message: wordsOf(error) } });
    return failureOfStatus({ status, headers: new PlainHeaders(), body }, endpoint);
  }
  if (error instanceof Error) return failureOfWire(error, endpoint, { isAnswering: true });
  const words = wordsOf(error);
  const code = byWord.find(([pattern]) => pattern.test(words))?.[1] ?? 'models.overloaded';
  return new ModelCallError(code, {
    model,
    reason: `it reported an error (${quote(words, endpoint.key)})`,
  });
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined;
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return String(error);
  return ['type', 'code', 'message']
    .map((name): unknown => Reflect.get(error, name))
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(': ')
    .slice(0, 4_096);
}

/** The response, unless it is a page for people: a proxy or a login stands before the model. */
export async function refusePage(
  response: WireResponse,
  endpoint: Endpoint,
): Promise<WireResponse> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  if (!type.includes('html') && !type.includes('xml')) return response;
  throw badAnswer(type, await response.text(), endpoint);
}

export function badAnswer(type: string, text: string, endpoint: Endpoint): ModelCallError {
  const said = quote(messageOf(text), endpoint.key);
  const reason = `${type === '' ? 'text' : type} with ${said === '' ? 'nothing in it' : said}`;
  return new ModelCallError('models.bad_answer', { model: endpoint.model, reason });
}
