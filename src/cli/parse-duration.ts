import { UsageError } from './errors.ts';

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A number alone is milliseconds. */
export function durationMs(option: string, text: string): number {
  const [, digits = '', unit = 'ms'] = /^(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === '') {
    throw new UsageError(`--${option} wants a duration such as 500ms, 2s or 1h, and got "${text}"`);
  }
  return Number(digits) * (unitMs.get(unit) ?? 1);
}
