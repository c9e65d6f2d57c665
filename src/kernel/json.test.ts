import { describe, expect, it } from 'vitest';
import { digestJson, lookupTable, outlineJson, parseLenientJson, recordOf } from './json.ts';

it.each([undefined, null, 1, 'text', [1]])('is empty for %j', (value) => {
  expect(recordOf(value)).toEqual({});
});

it('has the members of an object', () => {
  expect(recordOf({ a: 1 })).toEqual({ a: 1 });
});

it.each(['toString', 'hasOwnProperty', 'valueOf', 'constructor', '__proto__', 'isPrototypeOf'])(
  'finds nothing under the name %s, which every plain object has',
  (name) => {
    expect(lookupTable({ a: 1 })[name]).toBeUndefined();
  },
);

it('finds what is listed, and lists nothing else', () => {
  const table = lookupTable({ a: 1, toString: 2 });
  expect([table['a'], table['toString'], table['b']]).toEqual([1, 2, undefined]);
  expect(Object.entries(table)).toEqual([
    ['a', 1],
    ['toString', 2],
  ]);
});

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

it.each([
  [
    '{"a": [1, 2,], /* b */ "c": "x, ] // no comment", } // end',
    { a: [1, 2], c: 'x, ] // no comment' },
  ],
  ['\uFEFF[true, null, -1.5e3]', [true, null, -1500]],
  ['{"quoted \\" mark": "http://x/y"}', { 'quoted " mark': 'http://x/y' }],
  ['// only\n{}', {}],
  ['[1, /* last */\n]', [1]],
])('reads %s', (text, value) => {
  expect(parseLenientJson(text)).toEqual(value);
});

it.each(['', '{"a": 1', '{,}x', '[1 2]', '/* open', '[,,]', 'tr ue'])('refuses %s', (text) => {
  expect(parseLenientJson(text)).toBeUndefined();
});

it('takes time in proportion to the text', () => {
  const text = `[${'/* x */ , '.repeat(200_000)}]`;
  const startedAt = performance.now();
  expect(parseLenientJson(text)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

const limits = { maxValueChars: 40, maxLines: 20 };

describe('JSON as lines', () => {
  it('is one line while it is short', () => {
    expect(outlineJson({ to: 'x', n: [1, 2] }, limits)).toEqual({
      lines: ['{"to":"x","n":[1,2]}'],
      isCut: false,
    });
    expect(outlineJson(null, limits).lines).toEqual(['null']);
  });

  it('names every member, of what lies within too', () => {
    const long = 'x'.repeat(30);
    const { lines, isCut } = outlineJson(
      { a: long, b: { c: [long, long, long], d: {} }, e: 1 },
      limits,
    );
    expect(lines).toEqual([
      `a: "${long}"`,
      'b: 2 members',
      '  c: 3 items',
      `    [0]: "${long}"`,
      `    [1]: "${long}"`,
      `    [2]: "${long}"`,
      '  d: {}',
      'e: 1',
    ]);
    expect(isCut).toBe(false);
  });

  it.each([
    ['value', (text: string) => ({ a: text, z: 'y'.repeat(100) })],
    ['value in a list', (text: string) => ({ a: ['y'.repeat(100), text] })],
    ['name', (text: string) => ({ [text]: 1, z: 'y'.repeat(100) })],
  ])('shows both ends of a long %s, and how long it is', (_what, wrap) => {
    const { lines, isCut } = outlineJson(wrap(`begin${'-'.repeat(5_000)}end`), limits);
    const line = lines.find((it) => it.includes('begin')) ?? '';
    expect(line).toMatch(/begin-+… \[\d+ of 50\d\d characters left out\] …-+end/);
    expect(line.length).toBeLessThan(120);
    expect(isCut).toBe(true);
  });

  it('says how many lines are left out', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, at]));
    const { lines, isCut } = outlineJson(many, limits);
    expect([lines.length, lines.at(-1), isCut]).toEqual([21, '… 480 more lines', true]);
  });
});
