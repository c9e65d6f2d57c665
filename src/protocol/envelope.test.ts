import { describe, expect, it } from 'vitest';
import { judgeEra, metaKey, metaOf, unsupportedVersion } from './envelope.ts';
import type { Request } from './message.ts';

function aRequest(meta?: unknown, method = 'tools/list'): Request {
  return { kind: 'request', id: 1, method, params: meta === undefined ? {} : { _meta: meta } };
}

const complete = { [metaKey.protocolVersion]: '2026-07-28', [metaKey.clientCapabilities]: {} };

describe('the era of a request', () => {
  it('is stateless when _meta names a version and the capabilities', () => {
    expect(judgeEra(aRequest(complete))).toEqual({ kind: 'stateless', version: '2026-07-28' });
  });

  it('is the handshake era when the request says nothing', () => {
    expect(judgeEra(aRequest())).toEqual({ kind: 'handshake' });
    expect(judgeEra(aRequest({ progressToken: 1 }), '2025-11-25')).toEqual({ kind: 'handshake' });
    expect(judgeEra(aRequest('no object'))).toEqual({ kind: 'handshake' });
  });

  it.each([
    ['the header says stateless but _meta does not', aRequest({}), '2026-07-28'],
    ['the method exists in the stateless era only', aRequest({}, 'server/discover'), undefined],
    [
      'the version is no string',
      aRequest({ ...complete, [metaKey.protocolVersion]: 5 }),
      undefined,
    ],
    [
      'the capabilities are missing',
      aRequest({ [metaKey.protocolVersion]: '2026-07-28' }),
      undefined,
    ],
    [
      'the capabilities are no object',
      aRequest({ ...complete, [metaKey.clientCapabilities]: [] }),
      undefined,
    ],
  ])('is refused as invalid params when %s', (_name, request, header) => {
    expect(judgeEra(request, header)).toMatchObject({
      kind: 'rejected',
      error: { code: -32_602 },
    });
  });
});

it('names the versions we speak when one is asked for that we do not', () => {
  expect(unsupportedVersion('2026-07-28')).toBeUndefined();
  expect(unsupportedVersion('2999-01-01')).toEqual({
    code: -32_022,
    message: 'Unsupported protocol version',
    data: { supported: ['2026-07-28'], requested: '2999-01-01' },
  });
});

it('reads _meta only when it is an object', () => {
  expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 });
  expect(metaOf({ _meta: [1] })).toEqual({});
});
