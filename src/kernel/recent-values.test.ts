import { describe, expect, it } from 'vitest';
import { RecentValues } from './recent-values.ts';

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
