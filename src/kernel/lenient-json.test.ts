import { expect, it } from 'vitest';
import { parseLenientJson } from './lenient-json.ts';

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
