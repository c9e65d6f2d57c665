import { expect, it } from 'vitest';
import { countProgress } from './runs/live-tree.ts';

it('shows whole steps, and shares as they are', () => {
  expect(countProgress(180.0001, 4000)).toBe('180/4000');
  expect(countProgress(0.25, 1)).toBe('0.25/1');
  expect(countProgress(7, undefined)).toBe('7');
});
