import { expect, it } from 'vitest';
import { cureRate, isDemoted } from './rank-fixes.ts';

const prior = { mean: 0.6, weight: 2 };
const none = { attempts: 0, successes: 0 };
const times = (count: number, isCured: boolean): boolean[] => Array(count).fill(isCured);

it('starts with what is believed and follows what is seen', () => {
  expect(cureRate([], prior)).toBeCloseTo(0.6);
  expect(cureRate(times(8, true), prior)).toBeGreaterThan(0.85);
  expect(cureRate(times(8, false), prior)).toBeLessThan(0.2);
  expect(cureRate([true], prior)).toBeGreaterThan(cureRate([], prior));
});

it('gives the latest uses more weight', () => {
  const [good, bad] = [times(5, true), times(5, false)];
  expect(cureRate([...good, ...bad], prior)).toBeGreaterThan(cureRate([...bad, ...good], prior));
});

it('demotes what failed three times in a row, however often it cured before', () => {
  expect(isDemoted([...times(3, false), ...times(40, true)], prior, none)).toBe(true);
  expect(isDemoted([...times(2, false), ...times(3, true)], prior, none)).toBe(false);
  expect(isDemoted([false, false], prior, none)).toBe(false);
});

it('demotes what is no better than doing nothing', () => {
  const uses = [true, true, false, true];
  expect(isDemoted(uses, prior, { attempts: 20, successes: 19 })).toBe(true);
  expect(isDemoted(uses, prior, { attempts: 20, successes: 2 })).toBe(false);
  expect(isDemoted(uses, prior, { attempts: 2, successes: 2 })).toBe(false);
});
