import type { RunView } from '../../contract/run/index.ts';
import { counted } from '../../kernel/index.ts';
import type { StepResult } from './results-of-run.ts';
import { rememberResults } from './remember-results.ts';

const maxCodeLines = 300;
const maxIssues = 5;
const maxFacts = 8;
const maxFactChars = 200;

/** What a run did and gave, for a person, made without a model. */
export function describeResults(view: RunView, results: readonly StepResult[]): string {
  const steps = Object.values(view.steps);
  const done = steps.filter(({ status }) => status === 'succeeded').length;
  const skipped = steps.filter(({ status }) => status === 'skipped').length;
  return [
    `Done: ${done} of ${steps.length} step(s)${skipped > 0 ? `, ${skipped} skipped` : ''}.`,
    ...results.map(
      (result) => `- ${result.step} (${result.tool ?? 'no tool'}): ${keyFacts(result)}`,
    ),
    nextSteps(results),
  ].join('\n');
}

/** The code and tests a run gave, as they are: nobody retypes them. */
export function showCode(results: readonly StepResult[]): string {
  const made = rememberResults(results, '').filter(
    ({ kind }) => kind === 'code' || kind === 'tests',
  );
  return made
    .filter(({ content }, index) => made.findLastIndex((one) => one.content === content) === index)
    .map(({ title, content, language }) => {
      const lines = content.trimEnd().split('\n');
      const more =
        lines.length > maxCodeLines ? [`… ${lines.length - maxCodeLines} more lines`] : [];
      const fence = content.includes('```') ? '`````' : '```';
      const shown = [...lines.slice(0, maxCodeLines), ...more].join('\n');
      return `${title}:\n${fence}${language ?? ''}\n${shown}\n${fence}`;
    })
    .join('\n\n');
}

function keyFacts({ output }: StepResult): string {
  if (typeof output === 'string') return short(output);
  const value: Readonly<Record<string, unknown>> = Object(output);
  const facts = Object.entries(value)
    .filter(([key]) => key !== 'notice')
    .filter(([, one]) => ['number', 'boolean'].includes(typeof one) || isShortText(one))
    .slice(0, maxFacts)
    .map(([key, one]) => `${key} ${String(one)}`);
  const lists = Object.entries(value)
    .filter(([key, one]) => Array.isArray(one) && key !== 'issues')
    .slice(0, maxFacts)
    .map(([key, one]) => `${(one as readonly unknown[]).length} ${key}`); // Arrays only, by the filter above.
  const text = typeof value['text'] === 'string' ? [short(value['text'])] : [];
  const all = [...facts, ...lists, ...issueFacts(value['issues'])];
  const notice = typeof value['notice'] === 'string' ? `\n    ${short(value['notice'])}` : '';
  return (all.length > 0 ? all.join(', ') : (text[0] ?? short(JSON.stringify(output)))) + notice;
}

function issueFacts(issues: unknown): string[] {
  if (!Array.isArray(issues)) return [];
  const first = issues.slice(0, maxIssues).map((issue) => {
    const { severity, message, line }: Readonly<Record<string, unknown>> = Object(issue);
    const place = typeof line === 'number' ? `, line ${line}` : '';
    const kind = typeof severity === 'string' ? severity : 'issue';
    return `\n    ${kind}${place}: ${typeof message === 'string' ? short(message) : ''}`;
  });
  return [`${counted(issues.length, 'issue')}${first.join('')}`];
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 60 && value !== '' && !value.includes('\n');
}

function nextSteps(results: readonly StepResult[]): string {
  const kinds = new Set(rememberResults(results, '').map(({ kind }) => kind));
  const ideas = [
    ...(kinds.has('code') && !kinds.has('tests') ? ['"write tests for it"'] : []),
    ...(kinds.has('code') && !kinds.has('review') ? ['"review it"'] : []),
    ...(kinds.has('review') ? ['"fix what the review found"'] : []),
    ...(kinds.has('tests') ? ['"run the tests"'] : []),
  ];
  return ideas.length > 0
    ? `Next you could say ${ideas.join(', ')}.`
    : 'Ask for more whenever you like.';
}

function short(text: string): string {
  const flat = text
    .slice(0, 4 * maxFactChars)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return flat.length <= maxFactChars ? flat : `${flat.slice(0, maxFactChars - 1)}…`;
}
