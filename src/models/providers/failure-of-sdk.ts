import {
  ModelBadAnswerError,
  ModelCallError,
  ModelCutOffError,
  ModelEmptyAnswerError,
  ModelOverloadedError,
  ModelQuotaError,
  ModelRateLimitedError,
  ModelRefusedKeyError,
  ModelTooLongError,
  type ModelFailure,
} from '../errors.ts';
import { quote, type Endpoint } from './endpoint.ts';
import { failureOfStatus } from './failure-of-status.ts';
import { causesOf, failureOfWire } from './failure-of-wire.ts';
import { PlainHeaders } from './wire/plain-headers.ts';
import { lookupTable } from '../../kernel/index.ts';

type FailureClass = new (failure: ModelFailure) => ModelCallError;

/** Errors of the AI SDK by the names it gives them. */
const byName: Readonly<Record<string, { readonly as: FailureClass; readonly reason: string }>> =
  lookupTable({
    AI_JSONParseError: { as: ModelBadAnswerError, reason: 'a piece of it is no JSON' },
    AI_TypeValidationError: { as: ModelBadAnswerError, reason: 'a piece of it has another shape' },
    AI_InvalidResponseDataError: {
      as: ModelCutOffError,
      reason: 'it ended before the model said that it was complete',
    },
    AI_EmptyResponseBodyError: { as: ModelEmptyAnswerError, reason: 'its response has no body' },
    AI_NoContentGeneratedError: { as: ModelEmptyAnswerError, reason: 'its answer has no text' },
    AI_LoadAPIKeyError: { as: ModelRefusedKeyError, reason: 'no key is set' },
  });

/** What servers put into `error.type` or `error.code` once the stream has begun. */
const byWord: readonly (readonly [RegExp, FailureClass])[] = [
  [/insufficient_quota|billing/i, ModelQuotaError],
  [/rate_?limit|too_many/i, ModelRateLimitedError],
  [/context_length|exceed_context|too long/i, ModelTooLongError],
  [/auth|api_key|permission/i, ModelRefusedKeyError],
];

/** What an error that came out of the AI SDK, or in the middle of its stream, means. */
export function failureOfSdk(error: unknown, endpoint: Endpoint): ModelCallError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof ModelCallError);
  if (known !== undefined) return known;
  const { model } = endpoint;
  for (const cause of causes) {
    const match = cause instanceof Error ? byName[cause.name] : undefined;
    if (match !== undefined) return new match.as({ model, reason: match.reason, cause: undefined });
  }
  const status = statusOf(error);
  if (status !== undefined) {
    const body = JSON.stringify({ error: { message: wordsOf(error) } });
    return failureOfStatus({ status, headers: new PlainHeaders(), body }, endpoint);
  }
  if (error instanceof Error) return failureOfWire(error, endpoint, { isAnswering: true });
  const words = wordsOf(error);
  const Failure = byWord.find(([pattern]) => pattern.test(words))?.[1] ?? ModelOverloadedError;
  return new Failure({ model, reason: `it reported an error (${quote(words, endpoint.key)})` });
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
