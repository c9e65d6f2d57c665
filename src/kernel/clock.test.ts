import { expect, it } from 'vitest';
import { createSteadyClock } from './clock.ts';

function aClock() {
  const sources = { wall: 1_000_000, monotonic: 50 };
  const clock = createSteadyClock({
    wallMs: () => sources.wall,
    monotonicMs: () => sources.monotonic,
  });
  const pass = (ms: number, { setMs = 0 } = {}): number => {
    sources.monotonic += ms;
    sources.wall += ms + setMs;
    return clock.now();
  };
  return { clock, pass };
}

it('is the time of day', () => {
  const { clock, pass } = aClock();
  expect(clock.now()).toBe(1_000_000);
  expect(pass(10)).toBe(1_000_010);
});

it('goes on when the clock is set back, however often, and by however much', () => {
  const { pass } = aClock();
  pass(10);
  expect(pass(5, { setMs: -3_600_000 })).toBe(1_000_015);
  expect(pass(5, { setMs: -1 })).toBe(1_000_020);
  expect(pass(3_000)).toBe(1_003_020);
});

it('follows the clock when it is set forward, as after a suspension', () => {
  const { pass } = aClock();
  pass(0);
  pass(10, { setMs: 60_000 });
  expect(pass(100)).toBe(1_060_110);
  expect(pass(10, { setMs: -30_000 })).toBe(1_060_120);
});
