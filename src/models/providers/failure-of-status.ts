import {
  ModelBadAnswerError,
  ModelNotFoundError,
  ModelOverloadedError,
  ModelQuotaError,
  ModelRateLimitedError,
  ModelRefusedKeyError,
  ModelRefusedRequestError,
  ModelTooLongError,
  type ModelCallError,
  type ModelFailure,
} from '../errors.ts';
import { quote, type Endpoint } from './endpoint.ts';

export interface FailedResponse {
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
    return new ModelQuotaError(failure);
  }
  if (status === 413 || noContext.test(words)) return new ModelTooLongError(failure);
  return byStatus(status, failure);
}

function byStatus(status: number, failure: ModelFailure): ModelCallError {
  if (status === 401 || status === 403) return new ModelRefusedKeyError(failure);
  if (status === 404 || status === 405 || status === 410) return new ModelNotFoundError(failure);
  if (status === 429) return new ModelRateLimitedError(failure);
  if (status === 408 || status === 409 || status === 425) return new ModelOverloadedError(failure);
  if (status >= 500 && status !== 501) return new ModelOverloadedError(failure);
  if (status >= 400) return new ModelRefusedRequestError(failure);
  return new ModelBadAnswerError(failure);
}

/** A redirect is not followed: the key would go where nobody sent it. */
function redirected(
  headers: FailedResponse['headers'],
  failure: ModelFailure,
  { key }: Endpoint,
): ModelCallError {
  const target = quote(headers.get('location') ?? 'nowhere', key);
  return new ModelNotFoundError({
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
