import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import { evaluateCondition, parseCondition } from './condition.ts';
import type { Lookup } from './template.ts';

const values: Readonly<Record<string, Json>> = {
  a: {
    n: 3,
    ok: true,
    no: false,
    none: null,
    text: 'b',
    list: [1, { x: [2] }],
    empty: [],
    zero: 0,
  },
};
const artifact = { id: 'sha256:1', bytes: 1, mediaType: 'application/json' };
const lookup: Lookup = (root) => {
  if (root === 'big') return { artifact, path: [] };
  return Object.hasOwn(values, root) ? { value: values[root] ?? null } : undefined;
};

function holds(text: string): boolean | 'unloaded' {
  return evaluateCondition(parseCondition(text), lookup);
}

describe('a condition', () => {
  it.each([
    'true',
    '!false',
    '${a.ok}',
    '!${a.no}',
    '${a.n} == 3',
    '${a.n}==3.0',
    '${a.n} != 4',
    '${a.n} > 2 && ${a.n} >= 3 && ${a.n} < 4 && ${a.n} <= 3',
    '-1 < 0',
    '1e3 == 1000',
    '${a.text} == "b"',
    "${a.text} == 'b'",
    '${a.text} < "c"',
    '"\\u0062" == ${a.text}',
    '${a.none} == null',
    '${a.list} == ${a.list}',
    '${a.list.length} == 2',
    '${a.list[1].x[0]} == 2',
    '${a.no} || ${a.n} == 3',
    '${a.no} && ${a.no} || true',
    'true || (${a.no} && false)',
    '!(${a.n} == 4)',
    '(${a.n} == 3) == true',
    'exists(${a.n})',
    'exists( ${a.none} )',
    'exists(${big})',
    '!exists(${a.gone})',
    '!exists(${gone.x})',
    '${a.gone} != 1',
    '${a.gone} != ${gone}',
    '${a.empty}',
  ])('%s holds', (text) => {
    expect(holds(text)).toBe(true);
  });

  it.each([
    'false',
    'null',
    '0',
    '""',
    '${a.no}',
    '${a.zero}',
    '${a.none}',
    '${gone}',
    '${a.n} == "3"',
    '${a.n} < "4"',
    '${a.ok} > ${a.no}',
    '${a.gone} == ${a.gone}',
    '${a.gone} < 1',
    '${a.gone} >= 1',
    '${a.list} == 1',
    '${a.list} == ${a.empty}',
    '${a} == ${a.list}',
    'exists(${a.toString})',
    'exists(${a.constructor.name})',
    'true && false',
    'false || false',
  ])('%s does not hold', (text) => {
    expect(holds(text)).toBe(false);
  });

  it('wants somebody to look where a value lies in an artifact, and only then', () => {
    expect(holds('${big.n} == 1')).toBe('unloaded');
    expect(holds('1 == ${big}')).toBe('unloaded');
    expect(holds('!${big.n}')).toBe('unloaded');
    expect(holds('exists(${big.n})')).toBe('unloaded');
    expect(holds('true && ${big.n}')).toBe('unloaded');
    expect(holds('false && ${big.n}')).toBe(false);
    expect(holds('true || ${big.n}')).toBe(true);
  });

  it('compares lists and objects by what they hold, whatever the order of keys', () => {
    const left: Json = { x: 1, y: [{ z: null }] };
    const same = (right: Json): boolean | 'unloaded' =>
      evaluateCondition(parseCondition('${l} == ${r}'), (root) => ({
        value: root === 'l' ? left : right,
      }));
    expect(same({ y: [{ z: null }], x: 1 })).toBe(true);
    expect(same({ y: [{ z: 0 }], x: 1 })).toBe(false);
    expect(same({ y: [{ z: null }], w: 1 })).toBe(false);
    expect(same({ y: { 0: { z: null } }, x: 1 })).toBe(false);
  });

  it('names its references', () => {
    expect(parseCondition('${a.n} == 1 || exists(${b})').references).toEqual([
      { root: 'a', path: ['n'] },
      { root: 'b', path: [] },
    ]);
  });

  it.each([
    ['', 'it ends too early'],
    ['${a.n} ==', 'it ends too early'],
    ['${a.n} = 3', '"=" is not expected here ("is equal" is written ==)'],
    ['a.n == 3', '"a" is not known here: a reference is written ${a…}'],
    ['${a.n} == 3 and true', 'is not expected here'],
    ['not ${a.n}', 'write !'],
    ['(true', 'it ends too early'],
    ['(true]', '"]" stands where a ")" is missing'],
    ['true)', '")" is not expected here'],
    ['1 < 2 < 3', 'several comparisons in a row'],
    ['"${a.n}" == "3"', 'a reference stands in quotes'],
    ['"x', 'a quote is not closed'],
    ['"\\x"', 'cannot be read as a text in quotes'],
    ['exists(1)', 'exists takes one reference'],
    ['exists ${a}', 'exists takes one reference'],
    ['${a.}', 'a reference is none'],
    ['while(true)', '"while" is not known'],
    ['${a.n} + 1', '"+" is not expected here'],
    ['&& true', '"&" stands where a value is wanted'],
    ['x'.repeat(10_001), 'more than 10000 characters'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseCondition(text)).toThrow(reason);
  });

  it.each(['(', '!', '((!'])('refuses thousands of "%s" at once', (sign) => {
    expect(() => parseCondition(sign.repeat(3_000))).toThrow('nested more than 50 deep');
  });

  it('takes thousands of parts in a row', () => {
    expect(holds(`${'true && '.repeat(1_000)}true`)).toBe(true);
  });
});
