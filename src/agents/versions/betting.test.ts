import { expect, it } from 'vitest';
import { seeded } from '../../../testkit/agents/seeded.ts';
import { confidenceInterval, Wager } from './betting.ts';

const coin = (random: () => number, mean: number) => (random() < mean ? 1 : 0);

it('a wager against a true mean rarely wins, looked at after every value', () => {
  let won = 0;
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = seeded(seed);
    const wager = new Wager(0.7);
    for (let turn = 0; turn < 300; turn += 1) wager.add({ value: coin(random, 0.7), min: 0 });
    if (wager.rejects(0.05)) won += 1;
  }
  expect(won / 400).toBeLessThanOrEqual(0.05);
});

it('a wager against a mean that is too low wins', () => {
  const random = seeded(3);
  const wager = new Wager(0.5);
  for (let turn = 0; turn < 300; turn += 1) wager.add({ value: coin(random, 0.7), min: 0 });
  expect(wager.rejects(0.05)).toBe(true);
});

it('an interval holds the mean and shrinks', () => {
  const random = seeded(5);
  const values = Array.from({ length: 2_000 }, () => coin(random, 0.3));
  const interval = (count: number) => {
    const some = values.slice(0, count);
    const sides = {
      low: some.map((value) => ({ value, min: 0 })),
      high: some.map((value) => ({ value: -value, min: -1 })),
    };
    return confidenceInterval(sides, { min: 0, max: 1 }, 0.05);
  };
  expect(interval(0)).toEqual({ low: 0, high: 1 });
  const [short, long] = [interval(100), interval(2_000)];
  for (const { low, high } of [short, long]) {
    expect(low).toBeLessThan(0.3);
    expect(high).toBeGreaterThan(0.3);
  }
  expect(long.high - long.low).toBeLessThan((short.high - short.low) / 2);
});
