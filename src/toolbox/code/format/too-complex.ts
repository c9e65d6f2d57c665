import { TooComplexError } from '../errors.ts';
import type { Language } from '../language.ts';
import type { SourceFile } from '../source-files.ts';

/**
 * Characters an engine is given at most: beyond, the slow ones would take minutes or gigabytes.
 * Measured with short lines, which cost most.
 */
const maxCharacters: Readonly<Record<Language, number>> = {
  python: 5_000_000,
  javascript: 1_000_000,
  typescript: 1_000_000,
  java: 1_000_000,
  go: 5_000_000,
  rust: 5_000_000,
  sql: 300_000,
  html: 500_000,
  css: 500_000,
};

export function assertNotTooLong(file: SourceFile): void {
  const limit = maxCharacters[file.language];
  if (file.text.length > limit) {
    throw new TooComplexError(file.path, `it has more than ${limit} characters`);
  }
}

/** Engines run out of stack on input that is nested very deeply; that is told as such. */
export function asTooComplex(path: string, error: unknown): unknown {
  const isOverflow =
    error instanceof RangeError ||
    (error instanceof Error && error.name === 'RuntimeError') ||
    (error instanceof Error && /call stack|memory exhausted|recursion limit/i.test(error.message));
  return isOverflow ? new TooComplexError(path, 'it is nested too deeply', error) : error;
}
