import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../testkit/sample.ts';
import { readTolerant } from './tolerant-json.ts';

const budget = () => ({ characters: 1_000_000 });
const texts = ['', 'a', 'it\'s "so"', 'é😀', '\n\t\\', '// no comment', '{[,:]}', '\u2028'];

/** Any JSON value, nested up to so many levels. */
function aValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth === 0 ? 5 : 7));
  const aText = (): string => texts[Math.floor(random() * texts.length)] ?? '';
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor(random() * 1_000) - 500;
  if (kind === 3) return random() * 1e-9;
  if (kind === 4) return aText();
  const items = Array.from({ length: Math.floor(random() * 4) }, () => aValue(random, depth - 1));
  if (kind === 5) return items;
  return Object.fromEntries(items.map((item, index) => [`${index}k${aText()}`, item]));
}

const read = (text: string) => readTolerant(text, 0, budget());

describe('reading JSON as models write it', () => {
  it.each<[string, string, unknown]>([
    [
      'proper JSON',
      '{"a": [1, -2.5e3, true, false, null, "x"]}',
      { a: [1, -2500, true, false, null, 'x'] },
    ],
    ['nothing in it', '{}', {}],
    ['an empty list', '[]', []],
    ['commas too many', '{"a": [1, 2,], "b": 3,}', { a: [1, 2], b: 3 }],
    ['single quotes', `{'a': 'it"s'}`, { a: 'it"s' }],
    ['typographic quotes', '{“a”: “b”}', { a: 'b' }],
    ['an escaped single quote', String.raw`{'a': 'it\'s'}`, { a: "it's" }],
    ['Python literals', '[True, False, None]', [true, false, null]],
    ['undefined', '[undefined]', [null]],
    ['bare keys', '{a_b: 1, $c: 2, d-e: 3}', { a_b: 1, $c: 2, 'd-e': 3 }],
    ['comments of three kinds', '{"a": 1, // one\n # two\n /* three */ "b": 2}', { a: 1, b: 2 }],
    ['line breaks in strings', '{"a": "one\ntwo\ttabs"}', { a: 'one\ntwo\ttabs' }],
    ['escapes', String.raw`["\u00e9\x41\n\t\\\/\"\b\f\r"]`, ['éA\n\t\\/"\b\f\r']],
    ['escapes that are none', String.raw`["\d+ \_ \u12 C:\dir"]`, [String.raw`\d+ \_ \u12 C:\dir`]],
    [
      'a comma that is missing at the end of a line',
      '{"a": 1\n "b": [{"c": 1}\n {"c": 2}]}',
      { a: 1, b: [{ c: 1 }, { c: 2 }] },
    ],
    ['a plus sign', '[+5, .5]', [5, 0.5]],
    ['a byte order mark inside', '{\uFEFF"a": 1}', { a: 1 }],
  ])('understands %s', (_what, text, value) => {
    expect(read(text)).toEqual({ kind: 'value', value, end: text.length, isClosed: true });
  });

  it('agrees with JSON.parse on what is proper JSON', () => {
    const random = seededRandom(7);
    for (let count = 0; count < 500; count += 1) {
      const value = { value: aValue(random, 4) };
      const text = JSON.stringify(value, null, random() < 0.5 ? 2 : 0);
      expect(read(text), text).toEqual({ kind: 'value', value, end: text.length, isClosed: true });
    }
  });

  it('never takes a beginning of proper JSON for something else', () => {
    const random = seededRandom(8);
    for (let count = 0; count < 50; count += 1) {
      const text = JSON.stringify([aValue(random, 3), 'end']);
      for (let length = 1; length < text.length; length += 1) {
        const begun = read(text.slice(0, length));
        expect(begun.kind === 'cut' || (begun.kind === 'value' && !begun.isClosed)).toBe(true);
      }
    }
  });

  it('makes `__proto__` a member like every other', () => {
    const { value } = read('{"__proto__": {"polluted": true}}') as { value: object };
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('stops where the value ends', () => {
    expect(read('{"a": 1} and more')).toMatchObject({ end: 8 });
  });

  it.each([
    ['brackets', '{"a": [1, {"b": "c"}', { a: [1, { b: 'c' }] }],
    ['brackets after a list', '{"a": [1, 2]', { a: [1, 2] }],
    ['brackets after a literal', '[true', [true]],
  ])('closes what lacks only %s, and says so', (_what, text, value) => {
    expect(read(text)).toMatchObject({ value, isClosed: false });
  });

  it.each([
    ['in a string', '{"a": "b'],
    ['in a number', '{"a": 12'],
    ['behind a comma', '[1,'],
    ['behind a key', '{"a"'],
    ['behind a colon', '{"a":'],
    ['at its beginning', '{'],
  ])('does not guess how a text that ends %s goes on', (_where, text) => {
    expect(read(text)).toEqual({ kind: 'cut' });
  });

  it.each([
    ['closes what was not opened', '{"a": 1]', true],
    ['has no colon', '{"a" 1}', false],
    ['has words without quotes', '{"a": hello there}', true],
    ['has quotes within quotes', '{"a": "say "hello" now"}', true],
    ['lacks a comma in a line', '[1 2]', false],
    ['has NaN', '[NaN]', false],
    ['has two colons', '{"a":: 1}', true],
    ['is prose', '{this} is', false],
    ['is nested 300 levels deep', `${'['.repeat(300)}${']'.repeat(300)}`, false],
  ])('gives up where a text %s', (_what, text, isObject) => {
    expect(read(text)).toEqual({ kind: 'broken', isObject });
  });

  it('reads no more than it may, and says how much that was', () => {
    const left = { characters: 10 };
    expect(readTolerant(`[${'1,'.repeat(100)}1]`, 0, left)).toEqual({ kind: 'cut' });
    expect(left.characters).toBeLessThan(0);
  });
});
