import { describe, expect, it } from 'vitest';
import { withWireText } from '../contract/wire/index.ts';
import { encodeCompleteResult, encodePlainResult, resultAdditions } from './encode-result.ts';

/** A result as it is once it was read from this text, with what its reader added to it. */
function received(text: string, added: object = {}): object {
  return withWireText(Object.assign(JSON.parse(text) as object, added), text);
}

const additions = resultAdditions({
  defaults: { resultType: '"complete"', ttlMs: '0' },
  meta: { us: '1' },
});

describe('a result of the handshake era', () => {
  it('is what came, and of ours what that era knows', () => {
    expect(encodePlainResult(received('{"task":{"n":1.0}}', { content: [] }))).toBe(
      '{"task":{"n":1.0}}',
    );
    const deferred = { content: [], resultType: 'task', task: { id: 1 } };
    expect(encodePlainResult(deferred)).toBe('{"task":{"id":1}}');
    expect(encodePlainResult({ content: [] })).toBe('{"content":[]}');
  });
});

describe('a result of the stateless era', () => {
  it.each([
    ['nothing of it', '{"n":1.0}', '{"resultType":"complete","ttlMs":0,"_meta":{"us":1},"n":1.0}'],
    [
      'a type',
      '{"resultType":"x","n":1.0}',
      '{"ttlMs":0,"_meta":{"us":1},"resultType":"x","n":1.0}',
    ],
    [
      '_meta',
      '{"n":1.0,"_meta":{"us":2,"them":3.0}}',
      '{"resultType":"complete","ttlMs":0,"_meta":{"us":1,"them":3.0},"n":1.0}',
    ],
    ['no member', '{}', '{"resultType":"complete","ttlMs":0,"_meta":{"us":1}}'],
  ])('that has %s gets the rest, and its own texts stay', (_name, text, expected) => {
    expect(encodeCompleteResult(received(text), additions)).toBe(expected);
  });

  it('says what its reader found it to be', () => {
    const result = received('{"task":{"n":1.0}}', { content: [], resultType: 'task' });
    expect(encodeCompleteResult(result, additions)).toBe(
      '{"ttlMs":0,"resultType":"task","_meta":{"us":1},"task":{"n":1.0}}',
    );
  });

  it('of ours is written with the same members', () => {
    expect(JSON.parse(encodeCompleteResult({ a: 1, _meta: { b: 2 } }, additions))).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      a: 1,
      _meta: { us: 1, b: 2 },
    });
    const asking = { content: [], resultType: 'input_required', requestState: 's' };
    expect(JSON.parse(encodeCompleteResult(asking, additions))).not.toHaveProperty('content');
  });
});
