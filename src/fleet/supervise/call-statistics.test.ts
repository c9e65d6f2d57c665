import { expect, it } from 'vitest';
import { CallStatistics } from './call-statistics.ts';

it('knows the middle and the slowest hundredth of the latest calls', () => {
  const statistics = new CallStatistics();
  expect(statistics.summary()).toEqual({ calls: 0, failedCalls: 0, p50Ms: null, p99Ms: null });
  for (let ms = 1; ms <= 100; ms += 1) statistics.add(ms, ms > 98);
  expect(statistics.summary()).toEqual({ calls: 100, failedCalls: 2, p50Ms: 50, p99Ms: 99 });
});

it('counts all calls and forgets how long the oldest took', () => {
  const statistics = new CallStatistics();
  for (let call = 0; call < 5_000; call += 1) statistics.add(1_000, false);
  for (let call = 0; call < 2_048; call += 1) statistics.add(1, false);
  expect(statistics.summary()).toMatchObject({ calls: 7_048, p50Ms: 1, p99Ms: 1 });
});
