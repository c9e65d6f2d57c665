import { expect, it } from 'vitest';
import { spliceMembers } from './splice-members.ts';

const splice = (text: string, added: Readonly<Record<string, string>>): string =>
  spliceMembers(text, JSON.parse(text) as Record<string, unknown>, added);

it('adds members and leaves the texts of all others as they are', () => {
  expect(splice('{"n":1.0,"s":"\\u0041"}', { a: '[2]' })).toBe('{"a":[2],"n":1.0,"s":"\\u0041"}');
  expect(splice(' { } ', { a: '1' })).toBe('{"a":1 } ');
  expect(splice('{\n"n": 1e3\n}', { a: '1', b: '2' })).toBe('{"a":1,"b":2, "n": 1e3 }');
});

it('replaces members of the same name', () => {
  expect(splice('{"a":1.0,"b":2.0,"c":{"d":\n[3.0]}}', { b: '9' })).toBe(
    '{"b":9,"a":1.0,"c":{"d": [3.0]}}',
  );
  expect(splice('{"\\u0061":1}', { a: '2' })).toBe('{"a":2}');
});

it('takes bounded time for objects with many members', () => {
  const members = Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join(',');
  const spliced = splice(`{"a":1,${members}}`, { a: '2' });
  expect(JSON.parse(spliced)).toMatchObject({ a: 2, k19999: 19_999 });
});
