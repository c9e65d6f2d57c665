import { pluralize, nearest } from '../../../kernel/index.ts';
import { show, showChoices, type Mismatch } from './schema-node.ts';
import type { TestPattern } from './test-pattern.ts';

type Keywords = Readonly<Record<string, unknown>>;
type At = Mismatch['at'];

export function fitChoices(value: unknown, own: Keywords): string | undefined {
  const choices = own['const'] !== undefined ? [own['const']] : own['enum'];
  // Lists and objects among the choices are rare, and may hold what a reference gives.
  if (!Array.isArray(choices) || (typeof value === 'object' && value !== null)) return undefined;
  if (choices.includes(value) || choices.length === 0) return undefined;
  const close =
    typeof value === 'string'
      ? nearest(
          value,
          choices.filter((choice) => typeof choice === 'string'),
        )
      : undefined;
  const hint = close === undefined ? '' : `; did you mean ${show(close)}?`;
  return choices.length === 1
    ? `must be ${show(choices[0])}, and is ${show(value)}`
    : `must be one of ${showChoices(choices)}, and is ${show(value)}${hint}`;
}

export function fitText(
  text: string,
  own: Keywords,
  { testPattern, at }: { readonly testPattern: TestPattern; readonly at: At },
): Mismatch[] {
  const found: Mismatch[] = [];
  const { minLength, maxLength, pattern } = own;
  // A character outside the first plane counts once; the exact count matters only near a limit.
  const length = text.length > 100_000 ? text.length : Array.from(text).length;
  if (typeof minLength === 'number' && length < minLength) {
    const what = length === 0 ? 'is empty' : `has ${length}`;
    found.push({
      is: 'value',
      at,
      message: `must have at least ${pluralize(minLength, 'character')}, and ${what}`,
    });
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    found.push({
      is: 'value',
      at,
      message: `must have at most ${maxLength} characters, and has ${length}`,
    });
  }
  if (typeof pattern === 'string' && testPattern(pattern, text) === false) {
    found.push({
      is: 'value',
      at,
      message: `must match the pattern ${pattern}, and is ${show(text)}`,
    });
  }
  return found;
}

export function fitNumber(value: number, own: Keywords, at: At): Mismatch[] {
  const limits: readonly (readonly [
    keyword: string,
    words: string,
    holds: (limit: number) => boolean,
  ])[] = [
    ['minimum', 'at least', (limit) => value >= limit],
    ['maximum', 'at most', (limit) => value <= limit],
    ['exclusiveMinimum', 'more than', (limit) => value > limit],
    ['exclusiveMaximum', 'less than', (limit) => value < limit],
    ['multipleOf', 'a multiple of', (limit) => limit <= 0 || isMultiple(value, limit)],
  ];
  return limits.flatMap(([keyword, words, holds]) => {
    const limit = own[keyword];
    if (typeof limit !== 'number' || holds(limit)) return [];
    return [{ is: 'value' as const, at, message: `must be ${words} ${limit}, and is ${value}` }];
  });
}

/** 0.3 is a multiple of 0.1, although dividing says 2.9999999999999996. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** Why no number of one schema is one of the other, as the rest of a sentence. */
export function rangeConflict(source: Keywords, target: Keywords): string | undefined {
  const [given, wanted] = [rangeOf(source), rangeOf(target)];
  if (given.low > wanted.high)
    return `must be at most ${wanted.high}, and is at least ${given.low}`;
  if (given.high < wanted.low)
    return `must be at least ${wanted.low}, and is at most ${given.high}`;
  return undefined;
}

function rangeOf(keywords: Keywords): { readonly low: number; readonly high: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = keywords;
  const bounds = (values: readonly unknown[]): number[] =>
    values.filter((value) => typeof value === 'number');
  return {
    low: Math.max(-Infinity, ...bounds([minimum, exclusiveMinimum])),
    high: Math.min(Infinity, ...bounds([maximum, exclusiveMaximum])),
  };
}
