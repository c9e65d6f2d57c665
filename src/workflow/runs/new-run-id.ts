import { randomUUID } from 'node:crypto';

/** Crockford's alphabet in small letters: none of them looks like another, and they sort as digits do. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 9;

/** An id that sorts by time: 9 digits for the millisecond, 9 left to chance. */
export function newRunId(nowMs: number): string {
  return lastDigits(Math.floor(nowMs)) + lastDigits(chance());
}

/** 48 bits, of which an id takes 45. All digits of the last part of a UUID are random, and Node keeps a stock of them. */
function chance(): number {
  return Number.parseInt(randomUUID().slice(-12), 16);
}

function lastDigits(number: number): string {
  let rest = number;
  let text = '';
  for (let place = 0; place < length; place += 1) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}
