import { UsageError } from './errors.ts';
import { textOption, type Invocation } from './invocation.ts';

const maxLimit = 10_000;

/** The value of `--limit`, a whole number above zero. */
export function limitOption(invocation: Invocation, otherwise: number = maxLimit): number {
  const text = textOption(invocation, 'limit');
  if (text === undefined) return otherwise;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) {
    throw new UsageError(`--limit wants a number from 1 to ${maxLimit}, and got "${text}"`);
  }
  return limit;
}
