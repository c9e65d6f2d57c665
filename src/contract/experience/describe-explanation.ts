import type { Explanation, Suggestion } from './index.ts';

const maxMessageLines = 6;
const dayMs = 86_400_000;
const weekDays = 7;

/** An explanation as a person reads it: what failed, why, and what to do with how often it helped. */
export function describeExplanation(explanation: Explanation, nowMs: number): string {
  const { failure, cause, source, evidence, suggestions, seen, isKnown } = explanation;
  const lines = failure ? failureLines(failure) : [];
  if (cause !== null) lines.push(`Cause: ${cause}`, ...evidence.map((line) => `  ${line}`));
  if (!isKnown) lines.push('Cause: unknown. Nothing known is like this failure.');
  if (seen.before > 0) lines.push(`It failed this way ${timesText(seen.before)} before.`);
  if (failure?.curedAt) lines.push(`It was cured ${whenText(failure.curedAt, nowMs)}.`);
  if (suggestions.length > 0) lines.push('What to do, best first:');
  for (const [index, one] of suggestions.entries()) {
    lines.push(`  ${index + 1}. ${one.text} [${rateText(one, nowMs)}]`);
    if (one.command !== undefined) lines.push(`     $ ${one.command}`);
    lines.push(`     fix ${one.fixId}${one.kind === 'effect' ? ', changes something' : ''}`);
  }
  if (source !== null) lines.push(`Source: ${source}`);
  return lines.join('\n');
}

function failureLines(failure: NonNullable<Explanation['failure']>): string[] {
  const { subject, step, runId, code, message, id } = failure;
  const where = step === null ? '' : ` in step "${step}" of run ${runId}`;
  const shown = message.split('\n').filter((line) => line.trim() !== '');
  return [
    `${subject} failed${where} (${code}), failure ${id}:`,
    ...(shown.length > maxMessageLines ? ['  …'] : []),
    ...shown.slice(-maxMessageLines).map((line) => `  ${line}`),
  ];
}

function rateText(
  { uses, cures, lastCuredAt, without, isDemoted }: Suggestion,
  nowMs: number,
): string {
  if (uses === 0) return 'not tried here yet';
  const last = lastCuredAt === null ? '' : `, last ${whenText(lastCuredAt, nowMs)}`;
  const unchanged =
    without.attempts === 0
      ? ''
      : `; without any change ${without.successes} of ${without.attempts} succeeded`;
  const demoted = isDemoted ? '; no longer reliable' : '';
  return `cured ${cures} of ${timesText(uses)}${last}${unchanged}${demoted}`;
}

function timesText(count: number): string {
  return count === 1 ? '1 time' : `${count} times`;
}

/** "today", "yesterday", "Tuesday", or the date. */
function whenText(at: string, nowMs: number): string {
  const midnight = (ms: number): number => Math.floor(ms / dayMs);
  const days = midnight(nowMs) - midnight(Date.parse(at));
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  if (days >= weekDays) return `on ${at.slice(0, 10)}`;
  return new Date(at).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
}
