import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { silentLog } from './log.ts';

it('accepts lines and children when nobody listens', () => {
  const child = silentLog.child({ runId: 'r' });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) child[level]('a line', { a: 1 });
  expect(child).toBe(silentLog);
});

it('tells the time of this machine', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
});
