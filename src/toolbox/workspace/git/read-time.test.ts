import { describe, expect, it } from 'vitest';
import { readTime } from './read-time.ts';

/** A Thursday. */
const now = new Date(2026, 10, 19, 14, 30);

const local = (time: Date | undefined): string | undefined =>
  time &&
  `${time.getFullYear()}-${time.getMonth() + 1}-${time.getDate()} ${time.getHours()}:${time.getMinutes()}`;

describe('a time in words', () => {
  it.each([
    ['2026-01-31', '2026-1-31 0:0'],
    ['2026-01-31 09:05', '2026-1-31 9:5'],
    ['today', '2026-11-19 0:0'],
    ['this morning', '2026-11-19 0:0'],
    ['lunch', '2026-11-19 12:0'],
    ['yesterday', '2026-11-18 0:0'],
    ['Yesterday evening', '2026-11-18 18:0'],
    ['last night', '2026-11-18 18:0'],
    ['an hour ago', '2026-11-19 13:30'],
    ['a week ago', '2026-11-12 14:30'],
    ['3 days ago', '2026-11-16 14:30'],
    ['3 days', '2026-11-16 14:30'],
    ['two weeks ago', '2026-11-5 14:30'],
    ['a couple of days ago', '2026-11-17 14:30'],
    ['a few days ago', '2026-11-16 14:30'],
    ['the last 2 weeks', '2026-11-5 14:30'],
    ['the past month', '2026-10-19 14:30'],
    ['last week', '2026-11-12 14:30'],
    ['last year', '2025-11-19 14:30'],
    ['this week', '2026-11-16 0:0'],
    ['this month', '2026-11-1 0:0'],
    ['the beginning of the year', '2026-1-1 0:0'],
    ['monday', '2026-11-16 0:0'],
    ['last Monday', '2026-11-16 0:0'],
    ['thursday', '2026-11-19 0:0'],
    ['last thursday', '2026-11-12 0:0'],
    ['the weekend', '2026-11-14 0:0'],
    ['friday afternoon', '2026-11-13 12:0'],
    ['january', '2026-1-1 0:0'],
    ['december', '2025-12-1 0:0'],
    ['3 March', '2026-3-3 0:0'],
    ['march 3rd, 2025', '2025-3-3 0:0'],
  ])('is read: "%s"', (text, expected) => {
    expect(local(readTime(text, now))).toBe(expected);
  });

  it.each([
    '',
    'the last commit',
    'banana',
    'this',
    'last',
    'v1.2',
    '2026-13-40',
    'some days ago',
    'main',
  ])('is not made up: "%s"', (text) => {
    expect(readTime(text, now)).toBeUndefined();
  });
});
