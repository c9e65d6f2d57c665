import { expect, it } from 'vitest';
import { parseSize } from './traits.ts';

it.each([
  ['100MB', 100_000_000],
  ['64KiB', 65_536],
  ['1 gb', 1_000_000_000],
  ['7B', 7],
  ['2GiB', 2_147_483_648],
])('%s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

it.each(['', '100', 'MB', '-1MB', '1.5MB', '0KB', '1  MB', '1TB', '999999999999GB', '1MBx'])(
  '"%s" is no size',
  (text) => {
    expect(parseSize(text)).toBeUndefined();
  },
);
