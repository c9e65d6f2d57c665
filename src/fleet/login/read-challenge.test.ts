import { expect, it } from 'vitest';
import { readChallenge } from './read-challenge.ts';

it.each([
  [undefined, undefined],
  ['Basic realm="x"', undefined],
  ['Bearer', {}],
  ['bearer realm="a, b"', {}],
  [
    'Bearer resource_metadata="https://a.example/m", scope="read write", error="invalid_token"',
    {
      resourceMetadata: 'https://a.example/m',
      scopes: ['read', 'write'],
      error: 'invalid_token',
    },
  ],
  ['Basic realm="x", Bearer scope=read', { scopes: ['read'] }],
  ['Bearer scope="a", Basic realm="x"', { scopes: ['a'] }],
  ['Bearer error="a \\"quoted\\" word"', { error: 'a "quoted" word' }],
  ['Bearer scope="a a b \u0007c"', { scopes: ['a', 'b'] }],
  ['Bearer scope="first", scope="second"', { scopes: ['first'] }],
])('reads %j', (header, expected) => {
  expect(readChallenge(header)).toEqual(expected);
});

it('takes no time for a long hostile header', () => {
  const start = performance.now();
  readChallenge(`Bearer ${'a="\\'.repeat(100_000)}`);
  readChallenge(`Bearer ${', a '.repeat(100_000)}`);
  expect(performance.now() - start).toBeLessThan(500);
});
