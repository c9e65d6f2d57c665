import { expect, it } from 'vitest';
import { recordOf } from './record-of.ts';

it.each([undefined, null, 1, 'text', [1]])('is empty for %j', (value) => {
  expect(recordOf(value)).toEqual({});
});

it('has the members of an object', () => {
  expect(recordOf({ a: 1 })).toEqual({ a: 1 });
});
