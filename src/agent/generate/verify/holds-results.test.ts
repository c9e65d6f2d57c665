import { expect, it } from 'vitest';
import { holdsResults } from './holds-results.ts';

it.each([
  [
    'RESULTS = {"2024-01-01": 60, "2023-01-01": 59}',
    'f("2024-01-01") == 60; f("2023-01-01") == 59',
    true,
  ],
  ['return round(price * 1.19, 2)', 'f(100) == 119; f(200) == 238', false],
  ['if year % 400 == 0 or year % 100', 'f(2000) is True; f(1900) is False', false],
])('code that consists of the expected results: %s', (code, checks, expected) => {
  expect(holdsResults(code, checks)).toBe(expected);
});
