import { createHash } from 'node:crypto';
import type { EndedRound } from './evidence.ts';

/** How many rounds did what an earlier one had done, with the same result. */
export function countRepeats(rounds: readonly EndedRound[]): number {
  const digests = rounds.map(digestOf);
  return digests.filter((digest, index) => digests.indexOf(digest) < index).length;
}

function digestOf({ plan, view, results }: EndedRound): string {
  const calls = plan.steps.map(({ tool, args, when, forEach }) => [tool, args, when, forEach]);
  const ends = Object.values(view.steps).map(({ status, error }) => [status, error?.code]);
  const outputs = results.map(({ output }) => output);
  const text = JSON.stringify([calls, ends, outputs], (key, value: unknown) =>
    isVolatile(key) ? undefined : typeof value === 'string' ? withoutTimes(value) : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

/** Durations, moments and usage differ from run to run though nothing else does. */
function isVolatile(key: string): boolean {
  return /(?:Ms|_ms|At|_at|[dD]uration|[eE]lapsed|[uU]sage|[tT]imestamp)$/.test(key);
}

/** Fractions in the text of a program are times more often than not. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+\.\d+|\d+(?=\s?(?:ms|s|sec|seconds)\b)/g, '#');
}
