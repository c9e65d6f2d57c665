import { expect, it } from 'vitest';
import { Repeatable } from './engine-watch.ts';

it('does its work once more, and only once more, for all who asked while it was done', async () => {
  const ends: ((value: number) => void)[] = [];
  const repeatable = new Repeatable(() => new Promise<number>((resolve) => ends.push(resolve)));
  const first = repeatable.run();
  const others = [repeatable.run(), repeatable.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.(1);
  expect(await first).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toHaveLength(2);
  ends[1]?.(2);
  expect(await Promise.all(others)).toEqual([2, 2]);
});

it('is done for who asked also when it failed for somebody before', async () => {
  let count = 0;
  const repeatable = new Repeatable(async () => {
    count += 1;
    if (count === 1) throw new Error('once');
    return count;
  });
  const first = repeatable.run();
  const second = repeatable.run();
  await expect(first).rejects.toThrow('once');
  expect(await second).toBe(2);
});
