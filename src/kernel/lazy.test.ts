import { expect, it } from 'vitest';
import { lazy, lazyObject } from './lazy.ts';

interface Counter {
  readonly name: string;
  add(count: number): Promise<number>;
  missing?(): Promise<string>;
  close(): Promise<void>;
}

function counting(): { counter: Counter; log: string[] } {
  const log: string[] = [];
  let sum = 0;
  const open = lazy(async (): Promise<Counter> => {
    log.push('opened');
    return {
      name: 'real',
      add: async (count) => (sum += count),
      close: async () => void log.push('closed'),
    };
  });
  return { counter: lazyObject<Counter>(open, { name: 'own' }), log };
}

it('is opened by the first call, once', async () => {
  const { counter, log } = counting();
  expect([counter.name, log]).toEqual(['own', []]);
  expect(await Promise.all([counter.add(1), counter.add(2)])).toEqual([1, 3]);
  expect(log).toEqual(['opened']);
});

it('is closed only where it was opened', async () => {
  const { counter, log } = counting();
  await counter.close();
  expect(log).toEqual([]);
  await counter.add(1);
  await counter.close();
  expect(log).toEqual(['opened', 'closed']);
});

it('can be the result of an async function, and lacks what the real object lacks', async () => {
  const { counter } = counting();
  const awaited = await Promise.resolve(counter);
  expect(await awaited.missing?.()).toBeUndefined();
});
