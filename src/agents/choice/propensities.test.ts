import { expect, it } from 'vitest';
import { chancesToBeBest } from './propensities.ts';

const certain = { offset: 0, scale: 1 };

it('gives equal candidates equal chances', () => {
  const one = { alpha: 3, beta: 2, ...certain };
  const chances = chancesToBeBest([one, one, one]);
  for (const chance of chances) expect(chance).toBeCloseTo(1 / 3, 9);
});

it('agrees with the exact chance that one Beta exceeds another', () => {
  // P(Beta(2,1) > Beta(1,1)) = 2/3; P(Beta(1,1) > Beta(1,3)) = 3/4.
  const flat = { alpha: 1, beta: 1, ...certain };
  expect(chancesToBeBest([{ alpha: 2, beta: 1, ...certain }, flat])[0]).toBeCloseTo(2 / 3, 2);
  expect(chancesToBeBest([flat, { alpha: 1, beta: 3, ...certain }])[0]).toBeCloseTo(3 / 4, 2);
});

it('sees a narrow candidate beside a wide one', () => {
  const narrow = { alpha: 70_000, beta: 30_000, ...certain };
  const wide = { alpha: 1, beta: 1, ...certain };
  expect(chancesToBeBest([narrow, wide])[1]).toBeCloseTo(0.3, 1);
});

it('counts what is known beside success', () => {
  const belief = { alpha: 50, beta: 50, scale: 0.5 };
  const [better] = chancesToBeBest([
    { ...belief, offset: 0.4 },
    { ...belief, offset: 0 },
  ]);
  expect(better).toBeGreaterThan(0.999);
});
