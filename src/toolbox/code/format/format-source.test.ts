import { expect, it } from 'vitest';
import { countChangedLines } from './format-source.ts';

it.each([
  ['', '', 0],
  ['a\n', 'a\n', 0],
  ['a', 'a\n', 1],
  ['a\nb\nc\n', 'a\nB\nc\n', 1],
  ['a\nc\n', 'a\nb\nc\n', 1],
  ['a\nb\nc\n', 'c\n', 2],
  ['a b\n', 'a\nb\n', 2],
  ['x\na\ny\nb\nz\n', 'x\nA\ny\nB\nz\n', 2],
])('counts from %j to %j: %i', (before, after, expected) => {
  expect(countChangedLines(before, after)).toBe(expected);
});

it('counts a rewrite of a long text in little time', () => {
  const before = Array.from({ length: 100_000 }, (_, n) => `a${n}\n`).join('');
  const startedAt = performance.now();
  expect(countChangedLines(before, before.replaceAll('a', 'b'))).toBe(100_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
