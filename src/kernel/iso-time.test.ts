import { expect, it } from 'vitest';
import { createIsoTime } from './iso-time.ts';

it('writes every time as Date does', () => {
  const isoTime = createIsoTime();
  const now = 1_763_284_516_999;
  const times = [
    now,
    now + 1,
    now + 7,
    now,
    0,
    -1,
    -1_000,
    -62_198_755_200_000,
    8.64e15,
    now + 0.6,
  ];
  expect(times.map((ms) => isoTime(ms))).toEqual(times.map((ms) => new Date(ms).toISOString()));
});

it('refuses what is no time', () => {
  expect(() => createIsoTime()(Number.NaN)).toThrow(RangeError);
});
