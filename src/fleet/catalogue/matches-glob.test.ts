import { expect, it } from 'vitest';
import { fitsTemplate, matchesGlob } from './matches-glob.ts';

it.each([
  ['read_*', 'read_file', true],
  ['read_*', 'write_file', false],
  ['*file', 'read_file', true],
  ['r?ad', 'read', true],
  ['r?ad', 'rad', false],
  ['*', '', true],
  ['', 'x', false],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbYbZ', false],
  ['exact', 'exact', true],
])('the glob %s and %s: %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

it.each([
  ['file:///{path}', 'file:///a/b', true],
  ['db://{table}/{id}', 'db://users/1', true],
  ['db://{table}/rows', 'db://users/1', false],
])('the template %s and %s: %s', (template, uri, expected) => {
  expect(fitsTemplate(template, uri)).toBe(expected);
});

it('takes a hostile pattern in bounded time', () => {
  const startedAt = performance.now();
  expect(matchesGlob('*a'.repeat(2_000), `${'a'.repeat(4_000)}b`)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
