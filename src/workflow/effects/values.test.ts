import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../contract/error/index.ts';
import { passingCodes, unsentCodes } from './call-result.ts';
import { measureJson, tooDeep } from './held-values.ts';

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
    for (const code of [...passingCodes, ...unsentCodes]) {
      expect(Object.keys(errorCodes)).toContain(code);
    }
  });
});
