import { expect, it } from 'vitest';
import { isRunning } from './is-running.ts';

it('tells a process that is there, ours or not, from one that is not', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(1)).toBe(true);
  // Above every process id that systems hand out.
  expect(isRunning(4_194_399)).toBe(false);
});
