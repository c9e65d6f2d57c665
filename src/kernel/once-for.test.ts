import { expect, it } from 'vitest';
import { onceFor } from './once-for.ts';

it('calls a function once for each object', () => {
  const made: object[] = [];
  const make = onceFor((key: { readonly id: number }) => {
    made.push(key);
    return { of: key.id };
  });
  const [one, other] = [{ id: 1 }, { id: 1 }];
  expect(make(one)).toBe(make(one));
  expect(make(other)).not.toBe(make(one));
  expect(made).toEqual([one, other]);
});

it('calls it again after it threw', () => {
  let calls = 0;
  const make = onceFor((_key: object): object => {
    calls += 1;
    if (calls === 1) throw new Error('not yet');
    return {};
  });
  const key = {};
  expect(() => make(key)).toThrow('not yet');
  expect(make(key)).toEqual({});
});
