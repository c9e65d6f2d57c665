import { randomBytes } from 'node:crypto';

/** Crockford's alphabet in small letters: none of them looks like another, and they sort as digits do. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 9;
const chanceLength = 9;

/** An id that sorts by time: 9 digits for the millisecond, 9 left to chance. */
export function newRunId(nowMs: number): string {
  let rest = Math.floor(nowMs);
  let time = '';
  for (let place = 0; place < timeLength; place += 1) {
    time = `${digits.charAt(rest % digits.length)}${time}`;
    rest = Math.floor(rest / digits.length);
  }
  const chance = [...randomBytes(chanceLength)].map((byte) => digits.charAt(byte % digits.length));
  return `${time}${chance.join('')}`;
}
