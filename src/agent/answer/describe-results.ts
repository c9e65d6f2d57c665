import type { Plan } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { counted } from '../../kernel/index.ts';
import { findList, itemLine } from './result-items.ts';
import { isBadResult, type StepResult } from './results-of-run.ts';
import { rememberResults } from './remember-results.ts';

const maxLines = 40;
/** Of each step, where a run has several. */
const maxStepLines = 16;
const maxLineChars = 400;

/** What a run gave in the words of its tools, made without a model. */
export function describeResults(
  view: RunView,
  results: readonly StepResult[],
  plan?: Plan,
): string {
  const texts = results
    .filter((result) => !isOnlyRead(result, plan))
    .map((result) => ({ ...result, text: resultText(result) }))
    .filter(({ text }) => text !== '');
  const limit = texts.length > 1 ? maxStepLines : maxLines;
  const shown = texts.map(({ step, tool, text }) => {
    const heading = texts.length > 1 ? [`${step}${tool === null ? '' : ` (${tool})`}:`] : [];
    return [...heading, cutLines(text, limit)].join('\n');
  });
  const skipped = Object.entries(view.steps).filter(([, { status }]) => status === 'skipped');
  const names = skipped.map(([step]) => step).join(', ');
  return [
    ...shown,
    ...(skipped.length > 0 ? [`Skipped ${counted(skipped.length, 'step')}: ${names}.`] : []),
    ...(shown.length === 0 && !results.some(hasCode) ? ['Done. There is nothing to show.'] : []),
  ].join('\n\n');
}

/** A file that was read for a later step: nobody asked to see it. */
function isOnlyRead({ step, output, text }: StepResult, plan: Plan | undefined): boolean {
  const { content }: Readonly<Record<string, unknown>> = Object(output);
  const isFile = typeof content === 'string' && (text ?? content).trim() === content.trim();
  const others = plan?.steps.filter(({ id }) => id !== step) ?? [];
  return isFile && JSON.stringify(others).includes(`\${${step}.`);
}

/** What the steps gave that tell of a failure. */
export function describeBadResults(results: readonly StepResult[]): string {
  const texts = results.filter(isBadResult).map((result) => cutLines(resultText(result), maxLines));
  return texts.join('\n\n');
}

/** Everything a step gave, in the words of its tool or as a list; code is left to `showCode`. */
export function resultText(result: StepResult): string {
  const { output, text } = result;
  if (text !== undefined) return withoutCode(text, result).trim();
  if (typeof output === 'string') return output.trim();
  const given: Readonly<Record<string, unknown>> = Object(output);
  if (typeof given['text'] === 'string' && given['json'] === undefined) return given['text'].trim();
  const { items } = findList(output);
  if (items.length > 0) return items.map(itemLine).join('\n');
  if (output === null || hasCode(result)) return '';
  return JSON.stringify(given['json'] ?? output, null, 2);
}

function hasCode(result: StepResult): boolean {
  return rememberResults([result], '').some(({ kind }) => kind === 'code' || kind === 'tests');
}

/** Tools put the code they made, or its diff, into their text; it is shown by itself, with what is known about it. */
function withoutCode(text: string, result: StepResult): string {
  const { diff }: Readonly<Record<string, unknown>> = Object(result.output);
  const code = rememberResults([result], '').filter(
    ({ kind }) => kind === 'code' || kind === 'tests',
  );
  const changes = code.length > 0 && typeof diff === 'string' ? [diff] : [];
  const shown = [...changes, ...code.map(({ content }) => content)];
  return shown.reduce((rest, part) => cutOut(rest, part.trimEnd()), text);
}

function cutOut(text: string, part: string): string {
  const at = text.indexOf(part);
  if (at < 0) return text;
  const around = [text.slice(0, at).trimEnd(), text.slice(at + part.length).trimStart()];
  return around.filter(Boolean).join('\n\n');
}

function cutLines(text: string, limit: number): string {
  const lines = text.split('\n').map((line) => cut(line.trimEnd()));
  const isCut = lines.length > limit + 1;
  const isListCut = lines.some((line) => /^… and \d+ more/.test(line));
  return [
    ...lines.slice(0, isCut ? limit : lines.length),
    ...(isCut ? [`… ${counted(lines.length - limit, 'more line')}: say "show all".`] : []),
    ...(isListCut && !isCut ? ['Say "show all" for the whole list.'] : []),
  ].join('\n');
}

function cut(line: string): string {
  return line.length <= maxLineChars ? line : `${line.slice(0, maxLineChars - 1)}…`;
}
