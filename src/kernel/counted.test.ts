import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it('is singular for one and nothing else', () => {
  expect([0, 1, 2].map((number) => counted(number, 'tool'))).toEqual([
    '0 tools',
    '1 tool',
    '2 tools',
  ]);
});
