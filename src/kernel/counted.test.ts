import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it('is singular for one and nothing else', () => {
  expect([0, 1, 2].map((number) => counted(number, 'tool'))).toEqual([
    '0 tools',
    '1 tool',
    '2 tools',
  ]);
});

it('takes the plural of a noun that needs another ending', () => {
  expect([1, 2].map((number) => counted(number, 'fix', 'fixes'))).toEqual(['1 fix', '2 fixes']);
});
