import { expect, it } from 'vitest';
import { passesProbation, sampleOf } from './compare-versions.ts';

const sample = (successes: number, count: number) =>
  sampleOf(Array.from({ length: count }, (_, index) => Number(index < successes)));

it('lets pass what is shown to be less than the margin worse', () => {
  expect(passesProbation(sample(800, 1_000), sample(122, 150), 0.1)).toBe(true);
  expect(passesProbation(sample(800, 1_000), sample(150, 150), 0.1)).toBe(true);
});

it('fails what is worse by the margin, and what little is known of', () => {
  expect(passesProbation(sample(800, 1_000), sample(105, 150), 0.1)).toBe(false);
  expect(passesProbation(sample(800, 1_000), sample(8, 10), 0.1)).toBe(false);
  expect(passesProbation(sample(0, 0), sample(150, 150), 0.1)).toBe(false);
});
