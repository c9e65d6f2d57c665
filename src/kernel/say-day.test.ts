import { expect, it } from 'vitest';
import { sayDay } from './say-day.ts';

const now = new Date(2026, 10, 18, 14, 0).getTime();
const at = (day: number, hour = 9): string => new Date(2026, 10, day, hour).toISOString();

it('says a day as people do', () => {
  expect(sayDay(at(18, 1), now)).toBe('today');
  expect(sayDay(at(17, 23), now)).toBe('yesterday');
  expect(sayDay(at(16), now)).toBe('on Monday');
  expect(sayDay(at(12), now)).toBe('on Thursday');
  expect(sayDay(at(11), now)).toBe('on 11 November 2026');
  expect(sayDay('nonsense', now)).toBe('at an unknown time');
});
