import { describe, expect, it } from 'vitest';
import { Registry } from './registry.ts';
import { leftForFullCollection } from './testing/left-for-full-collection.ts';

describe('a registry', () => {
  it('has what was put in last under each key, in the order the keys came', () => {
    const registry = new Registry<number>();
    registry.set('b', 1);
    registry.set('__proto__', 2);
    registry.set('b', 3);
    expect(registry.size).toBe(2);
    expect([registry.get('b'), registry.get('__proto__'), registry.get('toString')]).toEqual([
      3,
      2,
      undefined,
    ]);
    expect([...registry.values()]).toEqual([3, 2]);
    registry.delete('b');
    registry.delete('b');
    expect([registry.size, registry.has('b'), registry.has('__proto__')]).toEqual([1, false, true]);
    registry.clear();
    expect([registry.size, [...registry.values()]]).toEqual([0, []]);
  });

  it('leaves out what is deleted while it is gone through', () => {
    const registry = new Registry<string>();
    for (const key of ['a', 'b', 'c']) registry.set(key, key);
    const seen: string[] = [];
    for (const value of registry.values()) {
      seen.push(value);
      registry.delete('b');
    }
    expect(seen).toEqual(['a', 'c']);
  });

  it('leaves nothing of what was in it for a full collection, however old it is', async () => {
    const registry = new Registry<object>();
    let made = 0;
    const comeAndGo = (): void => {
      const keys = Array.from({ length: 200 }, () => `key ${(made += 1)}`);
      for (const key of keys)
        registry.set(
          key,
          Array.from({ length: 100 }, () => ({})),
        );
      for (const key of keys) registry.delete(key);
    };
    // Until it is among the old objects itself, as what a process opens when it starts.
    let latest: object = registry;
    for (let n = 0; n < 4_000_000; n += 1) latest = { n, latest: n % 2 === 0 ? null : latest };
    expect(latest).toMatchObject({ n: 3_999_999 });
    const rounds = 20;
    const comeAndGoOften = (): void => {
      for (let round = 0; round < rounds; round += 1) comeAndGo();
    };
    const left = await leftForFullCollection(comeAndGoOften, 9);
    // The 60 of a key and its place; of a Map it is 8,000 and more.
    expect(left / (rounds * 200)).toBeLessThan(500);
  });
});
