import { describe, expect, it } from 'vitest';
import { onceFor, RecentValues } from './recent-values.ts';

describe('recent values', () => {
  it('are given back by the same text', () => {
    const values = new RecentValues<number>(10);
    values.set('a', 1);
    values.set('a', 2);
    expect(values.get('a')).toBe(2);
    expect(values.get('b')).toBeUndefined();
  });

  it('go when there are too many, those not used for longest first', () => {
    const values = new RecentValues<number>(3);
    values.set('a', 1);
    values.set('b', 2);
    values.set('c', 3);
    values.get('a');
    values.set('d', 4);
    expect(['a', 'b', 'c', 'd'].map((key) => values.get(key))).toEqual([1, undefined, 3, 4]);
  });

  it('make room for many more at once, because finding the oldest takes long', () => {
    const values = new RecentValues<number>(160);
    const keys = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(4));
    const kept = (): number => keys.filter((key) => values.get(key) !== undefined).length;
    for (const key of keys.slice(0, 40)) values.set(key, 1);
    expect(kept()).toBe(40);
    values.set(keys[40]!, 1);
    expect(kept()).toBe(37);
    for (const key of keys.slice(41, 44)) values.set(key, 1);
    expect(kept()).toBe(40);
    values.set(keys[99]!, 1, 156);
    expect(values.get(keys[99]!)).toBe(1);
    expect(kept()).toBe(1);
  });

  it('count with their own sizes, and one that is too large is not kept', () => {
    const values = new RecentValues<number>(10);
    values.set('small', 1);
    values.set('large', 2, 6);
    expect([values.get('small'), values.get('large')]).toEqual([1, undefined]);
    values.set('other', 3, 3);
    expect([values.get('small'), values.get('other')]).toEqual([undefined, 3]);
  });
});

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
