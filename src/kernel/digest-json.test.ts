import { describe, expect, it } from 'vitest';
import { digestJson } from './digest-json.ts';

describe('the digest of JSON', () => {
  it('is the same in whatever order members stand', () => {
    const one = { b: [1, { y: 1, x: 'ü' }], a: null, 10: 1, 9: 2 };
    const other = { 9: 2, 10: 1, a: null, b: [1, { x: 'ü', y: 1 }] };
    expect(digestJson(one)).toBe(digestJson(other));
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
    [{ a: 'é' }, { a: 'e\u0301' }],
  ])('tells %j from %j', (one, other) => {
    expect(digestJson(one)).not.toBe(digestJson(other));
  });

  it('is that of the canonical text, as others compute it', () => {
    // printf '{"a":1,"b":[true,"x"]}' | sha256sum
    expect(digestJson({ b: [true, 'x'], a: 1 })).toBe(
      'sha256:63e8063d9dc6f0fd5a24b4706818a165fd57c3531b74466cf5dea62bff09b0b6',
    );
  });
});
