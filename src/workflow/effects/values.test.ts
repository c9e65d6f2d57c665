import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../contract/error/index.ts';
import { argumentsDigest } from './arguments-digest.ts';
import { passingCodes, uncertainCodes } from './call-failure.ts';
import { measureJson, tooDeep } from './measure-json.ts';

describe('the digest of arguments', () => {
  it('is the same in whatever order members stand', () => {
    const one = { b: [1, { y: 1, x: 'ü' }], a: null, 10: 1, 9: 2 };
    const other = { 9: 2, 10: 1, a: null, b: [1, { x: 'ü', y: 1 }] };
    expect(argumentsDigest(one)).toBe(argumentsDigest(other));
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
    [{ a: 'é' }, { a: 'e\u0301' }],
  ])('tells %j from %j', (one, other) => {
    expect(argumentsDigest(one)).not.toBe(argumentsDigest(other));
  });

  it('is that of the canonical text, as others compute it', () => {
    // printf '{"a":1,"b":[true,"x"]}' | sha256sum
    expect(argumentsDigest({ b: [true, 'x'], a: 1 })).toBe(
      'sha256:63e8063d9dc6f0fd5a24b4706818a165fd57c3531b74466cf5dea62bff09b0b6',
    );
  });
});

describe('measuring JSON', () => {
  it.each([
    [null],
    [true],
    [-1.5e-300],
    [Number.MAX_VALUE],
    ['plain'],
    ['\u0000\u001f"\\'],
    ['ü€😀'],
    [[]],
    [{}],
    [[1, [2, [3]]]],
    [{ a: { b: [null, 'x'], '\u0001': 1 } }],
  ])('never says less than the text has: %j', (value) => {
    expect(measureJson(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  });

  it.each([
    [undefined],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1n],
    [new Date()],
    [new Map()],
    [{ a: undefined }],
    [[() => {}]],
    [{ a: [Symbol('x')] }],
  ])('notices what JSON would change: case %#', (value) => {
    expect(measureJson(value)).toBeNaN();
  });

  it('notices what is nested too deeply, without running out of stack', () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(measureJson(value)).toBe(tooDeep);
  });
});

describe('the codes of failures', () => {
  it('are codes that there are', () => {
    for (const code of [...passingCodes, ...uncertainCodes]) {
      expect(Object.keys(errorCodes)).toContain(code);
    }
  });
});
