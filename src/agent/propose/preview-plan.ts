import type { PlanCandidate } from '../../contract/agent/index.ts';
import type { Plan, Step } from '../../contract/plan/index.ts';
import { escapeLine, pluralize } from '../../kernel/index.ts';
import { sayOrder } from './order-after-effects.ts';

export interface Previewed {
  /** Best first; more than one when the planner is not sure. */
  readonly candidates: readonly PlanCandidate[];
  readonly madeBy: 'model' | 'planner';
  readonly notUnderstood: readonly string[];
  /** What else to know before it runs. */
  readonly note?: string;
}

const maxValueChars = 80;

/** What a plan would do, or the readings there are, for a person; the last line says what to answer. */
export function previewPlan({ candidates, madeBy, notUnderstood, note = '' }: Previewed): string {
  const by = madeBy === 'planner' ? 'made without a model' : 'made by the model';
  const unread = notUnderstood.map((words) => `"${shortValue(words)}"`).join(', ');
  const notes = [
    ...(unread === '' ? [] : [`Not used: ${unread}.`]),
    ...(note === '' ? [] : [note]),
  ];
  const [first] = candidates;
  if (first && candidates.length === 1) {
    const why = first.why === '' ? '' : `: ${first.why}`;
    const lines = [`Plan${nameOf(first.plan)} (${by})${why}`, ...stepLines(first.plan), ...notes];
    return [...lines, 'Run it? Answer yes or no.'].join('\n');
  }
  const readings = candidates.flatMap(({ plan, why }, index) => [
    `${index + 1}.${nameOf(plan)} ${why}`.trimEnd(),
    ...stepLines(plan).map((line) => ` ${line}`),
  ]);
  const heading = `Which of these do you mean? (Plans ${by})`;
  const question = `Run it? Answer with a number from 1 to ${candidates.length}, or no.`;
  return [heading, ...readings, ...notes, question].join('\n');
}

const maxReadsShown = 10;

/** Why a plan that changes nothing is shown; empty where it reads only what the user named. */
export function noteOnReads(reads: readonly string[]): string {
  if (reads.length === 0) return '';
  const more = reads.length > maxReadsShown ? `, and ${reads.length - maxReadsShown} more` : '';
  const shown = reads.slice(0, maxReadsShown).map(shortValue).join(', ');
  return `It reads what you did not name, and the model sees the results: ${shown}${more}.`;
}

function nameOf({ name }: Plan): string {
  return name === undefined ? '' : ` "${shortValue(name)}"`;
}

/** The calls of a plan, a line each. */
export function previewSteps(plan: Plan): string {
  return stepLines(plan).join('\n');
}

function stepLines(plan: Plan): string[] {
  const steps = plan.steps.map((step, index) => `  ${index + 1}. ${previewStep(step)}`);
  return [...steps, ...inputsOf(plan)];
}

function previewStep(step: Step): string {
  const args = Object.entries(step.args ?? {}).map(([key, value]) => `${key}=${shortValue(value)}`);
  const notes = [
    ...(step.when === undefined ? [] : [shortValue(sayWhen(step.when))]),
    ...(step.forEach === undefined ? [] : [`for each of ${shortValue(step.forEach)}`]),
    ...(step.approval === undefined ? [] : ['asks for approval']),
  ];
  const title = step.title === undefined ? '' : ` — ${shortValue(step.title)}`;
  return `${step.id}: ${step.tool ?? ''}(${args.join(', ')})${title}${notes.length > 0 ? ` [${notes.join('; ')}]` : ''}`;
}

function sayWhen(when: NonNullable<Step['when']>): string {
  const said = sayOrder(when);
  return said === String(when) ? `when ${said}` : said;
}

function inputsOf({ input }: Plan): string[] {
  return Object.entries(input ?? {}).map(([name, { default: value }]) => {
    const lines = typeof value === 'string' ? value.trimEnd().split('\n').length : 1;
    if (value === undefined) return `  input.${name}: not given yet`;
    return `  input.${name}: ${lines > 1 ? pluralize(lines, 'line') : shortValue(value)}`;
  });
}

function shortValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A line of its own would look like a step, and some characters move a terminal's cursor.
  const flat = escapeLine(text.replaceAll(/[ \t\r\n]+/g, ' '));
  return flat.length <= maxValueChars ? flat : `${flat.slice(0, maxValueChars - 1)}…`;
}
