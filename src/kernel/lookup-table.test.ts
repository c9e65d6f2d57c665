import { expect, it } from 'vitest';
import { lookupTable } from './lookup-table.ts';

it.each(['toString', 'hasOwnProperty', 'valueOf', 'constructor', '__proto__', 'isPrototypeOf'])(
  'finds nothing under the name %s, which every plain object has',
  (name) => {
    expect(lookupTable({ a: 1 })[name]).toBeUndefined();
  },
);

it('finds what is listed, and lists nothing else', () => {
  const table = lookupTable({ a: 1, toString: 2 });
  expect([table['a'], table['toString'], table['b']]).toEqual([1, 2, undefined]);
  expect(Object.entries(table)).toEqual([
    ['a', 1],
    ['toString', 2],
  ]);
});
