import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { defaultModelLimits } from '../text-model.ts';
import { quote, shownUrl } from './endpoint.ts';
import {
  failureOfSdk,
  failureOfStatus,
  failureOfWire,
  messageOf,
  retryAfterOf,
} from './failures.ts';

const endpoint = { model: 'a/m', key: new Secret('sk-secret'), limits: defaultModelLimits };
const headers = new Headers();

describe('what a status means', () => {
  it.each([
    [400, '{"error":{"message":"bad"}}', 'models.refused_request', false],
    [400, '{"error":{"message":"prompt is too long: 300000 tokens"}}', 'models.too_long', false],
    [401, '{"error":{"message":"billing hard limit, wrong key"}}', 'models.refused_key', false],
    [402, '', 'models.out_of_quota', false],
    [403, '', 'models.refused_key', false],
    [404, '', 'models.not_found', false],
    [408, '', 'models.overloaded', true],
    [410, '', 'models.not_found', false],
    [413, '', 'models.too_long', false],
    [422, '{"detail":"unprocessable"}', 'models.refused_request', false],
    [429, '{"error":{"code":"insufficient_quota"}}', 'models.out_of_quota', false],
    [429, '', 'models.rate_limited', true],
    [500, 'the request exceeds the available context size', 'models.too_long', false],
    [500, '', 'models.overloaded', true],
    [501, '', 'models.refused_request', false],
    [503, 'Loading model', 'models.overloaded', true],
    [199, '', 'models.bad_answer', true],
  ])('%i with %j is %s', (status, body, code, retryable) => {
    expect(failureOfStatus({ status, headers, body }, endpoint)).toMatchObject({ code, retryable });
  });

  it.each([
    ['{"error":{"message":"one"}}', 'one'],
    ['{"error":"one"}', 'one'],
    ['{"message":"one"}', 'one'],
    ['{"detail":"one"}', 'one'],
    ['{"other":"one"}', '{"other":"one"}'],
    ['{broken', '{broken'],
    ['plain', 'plain'],
    ['<html><title>One</title>', 'a page titled "One"'],
    ['<html>', 'a page'],
    ['', ''],
  ])('is said in %j: %j', (body, said) => {
    expect(messageOf(body)).toBe(said);
  });

  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '150', 'retry-after': '2' }, 150],
    [{ 'retry-after': new Date(5_000).toUTCString() }, 4_000],
    [{ 'retry-after': new Date(0).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('asks to be left alone by %j for %s ms', (given, waitMs) => {
    expect(retryAfterOf(new Headers(given), 1_000)).toBe(waitMs);
  });
});

describe('what an error of the SDK or in its stream means', () => {
  const named = (name: string) => Object.assign(new Error('x'), { name });
  it.each([
    [named('AI_JSONParseError'), 'models.bad_answer'],
    [named('AI_TypeValidationError'), 'models.bad_answer'],
    [named('AI_InvalidResponseDataError'), 'models.cut_off'],
    [named('AI_EmptyResponseBodyError'), 'models.empty_answer'],
    [named('AI_NoContentGeneratedError'), 'models.empty_answer'],
    [named('AI_LoadAPIKeyError'), 'models.refused_key'],
    [new Error('outer', { cause: named('AI_JSONParseError') }), 'models.bad_answer'],
    [Object.assign(new Error('Overloaded'), { statusCode: 529 }), 'models.overloaded'],
    [Object.assign(new Error('slow'), { statusCode: 429 }), 'models.rate_limited'],
    [new TypeError('terminated'), 'models.cut_off'],
    [{ type: 'rate_limit_error', message: 'slow' }, 'models.rate_limited'],
    [{ type: 'overloaded_error', message: 'busy' }, 'models.overloaded'],
    [{ code: 'context_length_exceeded', message: 'x' }, 'models.too_long'],
    [{ type: 'insufficient_quota', message: 'x' }, 'models.out_of_quota'],
    [{ type: 'authentication_error', message: 'x' }, 'models.refused_key'],
    ['it broke', 'models.overloaded'],
    [7, 'models.overloaded'],
  ])('%s is %s', (error, code) => {
    expect(failureOfSdk(error, endpoint)).toMatchObject({ code, model: 'a/m' });
  });
});

describe('what a broken connection means', () => {
  const coded = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
  it.each([
    [coded('ECONNREFUSED'), false, 'models.unreachable', /nothing listens/],
    [coded('ENOTFOUND'), false, 'models.unreachable', /no host/],
    [coded('EAI_AGAIN'), false, 'models.unreachable', /network/],
    [coded('CERT_HAS_EXPIRED'), false, 'models.unreachable', /secure connection/],
    [coded('HPE_HEADER_OVERFLOW'), false, 'models.bad_answer', /headers/],
    [coded('HPE_INVALID_CONSTANT'), false, 'models.bad_answer', /./],
    [coded('ECONNRESET'), true, 'models.cut_off', /closed/],
    [
      new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
      false,
      'models.unreachable',
      /nothing listens/,
    ],
    [new TypeError('"Bearer sk-secret" is no header'), false, 'models.unreachable', /\[hidden\]/],
    [new Error(''), false, 'models.unreachable', /connection failed/],
    ['odd', true, 'models.cut_off', /odd/],
  ])('%s is told', (error, isAnswering, code, says) => {
    const failure = failureOfWire(error, endpoint, { isAnswering });
    expect(failure).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(failure.message).not.toContain('sk-secret');
  });
});

it('does not ask again at once where nothing listens', () => {
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  const terms = { isAnswering: false };
  expect(failureOfWire(refused, endpoint, terms).retryable).toBe(false);
  expect(failureOfWire(reset, endpoint, terms).retryable).toBe(true);
});

describe('what may be shown', () => {
  it.each([
    ['https://user:pass@host.example/v1?key=1', 'https://host.example/v1'],
    ['http://host.example:80/', 'http://host.example'],
    ['not an address', 'not an address'],
  ])('of the address %s is %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });

  it('of a server’s words is one line, not long, without the key', () => {
    expect(quote('a\n\tb\u0000 sk-secret', endpoint.key)).toBe('a b [hidden]');
    expect(quote('x'.repeat(1_000), null)).toHaveLength(301);
  });
});
