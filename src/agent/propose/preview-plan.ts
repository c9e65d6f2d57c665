import type { Plan, Step } from '../../contract/plan/index.ts';

export interface Previewed {
  readonly plan: Plan;
  readonly madeBy: 'model' | 'planner';
  readonly alternatives: readonly Plan[];
  readonly why?: string;
}

const maxValueChars = 80;

/** What a plan would do, for a person, with what to answer. */
export function previewPlan({ plan, madeBy, alternatives, why = '' }: Previewed): string {
  const by = madeBy === 'planner' ? 'made without a model' : 'made by the model';
  return [
    `Plan${plan.name === undefined ? '' : ` "${shortValue(plan.name)}"`} (${by})${why === '' ? '' : `: ${why}`}`,
    ...plan.steps.map((step, index) => `  ${index + 1}. ${previewStep(step)}`),
    ...inputsOf(plan),
    ...listAlternatives(alternatives),
    alternatives.length > 0
      ? 'Run it? Answer yes, no, or the number of another plan.'
      : 'Run it? Answer yes or no.',
  ].join('\n');
}

/** `Other plans: 2. code.review_code`; the one shown above is number 1. */
function listAlternatives(alternatives: readonly Plan[]): string[] {
  return alternatives.map(
    (plan, index) => `  or ${index + 2}. ${plan.steps.map(({ tool }) => tool ?? '').join(' → ')}`,
  );
}

function previewStep(step: Step): string {
  const args = Object.entries(step.args ?? {}).map(([key, value]) => `${key}=${shortValue(value)}`);
  const notes = [
    ...(step.when === undefined ? [] : [`when ${shortValue(step.when)}`]),
    ...(step.forEach === undefined ? [] : [`for each of ${shortValue(step.forEach)}`]),
    ...(step.approval === undefined ? [] : ['asks for approval']),
  ];
  const title = step.title === undefined ? '' : ` — ${shortValue(step.title)}`;
  return `${step.id}: ${step.tool ?? ''}(${args.join(', ')})${title}${notes.length > 0 ? ` [${notes.join('; ')}]` : ''}`;
}

function inputsOf({ input }: Plan): string[] {
  return Object.entries(input ?? {}).map(([name, { default: value }]) => {
    const lines = typeof value === 'string' ? value.trimEnd().split('\n').length : 0;
    return `  input.${name}: ${lines} line(s)`;
  });
}

function shortValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A line of its own would look like a step, and some characters move a terminal's cursor.
  const flat = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return flat.length <= maxValueChars ? flat : `${flat.slice(0, maxValueChars - 1)}…`;
}
