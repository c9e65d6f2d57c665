import { expect, it } from 'vitest';
import type { StepCache } from './effect-ports.ts';

const key = { callerId: 'local', tool: 'code.scan', argumentsDigest: 'sha256:1' };

/** What every cache of results promises. `create` gives an empty one. */
export function testStepCache(create: () => StepCache | Promise<StepCache>): void {
  it('gives back what was put, inline or stored', async () => {
    const cache = await create();
    const inline = { held: { value: { a: ['ü', null] } }, storedAtMs: 5 };
    await cache.put(key, inline);
    expect(await cache.find(key)).toEqual(inline);
    const artifact = { id: 'sha256:00', bytes: 70_000, mediaType: 'application/json' };
    const stored = { held: { artifact, path: ['a', 0] }, storedAtMs: 6 };
    await cache.put(key, stored);
    expect(await cache.find(key)).toEqual(stored);
  });

  it.each([{ callerId: 'other' }, { tool: 'code.other' }, { argumentsDigest: 'sha256:2' }])(
    'keeps results of another call apart: %o',
    async (change) => {
      const cache = await create();
      await cache.put(key, { held: { value: 1 }, storedAtMs: 5 });
      expect(await cache.find({ ...key, ...change })).toBeUndefined();
    },
  );

  it('removes what is older than is kept, then the oldest of what is too much', async () => {
    const cache = await create();
    for (const storedAtMs of [3, 1, 5, 2, 4]) {
      const argumentsDigest = String(storedAtMs);
      await cache.put({ ...key, argumentsDigest }, { held: { value: storedAtMs }, storedAtMs });
    }
    expect(await cache.prune({ beforeMs: 2, maxEntries: 100 })).toBe(1);
    expect(await cache.prune({ beforeMs: 0, maxEntries: 2 })).toBe(2);
    const left = await Promise.all(
      ['1', '2', '3', '4', '5'].map((argumentsDigest) => cache.find({ ...key, argumentsDigest })),
    );
    expect(left.map((it) => it?.storedAtMs)).toEqual([undefined, undefined, undefined, 4, 5]);
    expect(await cache.prune({ beforeMs: 0, maxEntries: 2 })).toBe(0);
  });
}
