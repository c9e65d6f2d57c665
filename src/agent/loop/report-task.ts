import { pluralize } from '../../kernel/index.ts';
import { describeFailure, labelCode, showWholeCode } from '../answer/index.ts';
import { countCalls, type Task } from './task.ts';
import { findDoubt, type EndedRound, type Fact } from './evidence.ts';

const maxDiffLines = 120;
const maxMessageChars = 400;
const maxFailures = 5;

export interface Report {
  readonly task: Task;
  readonly rounds: readonly EndedRound[];
  readonly facts: readonly Fact[];
}

/**
 * The answer of a task: what Tutti knows stands above and below the model's words, so that a claim without evidence
 * is contradicted where it is read.
 */
export function reportTask({ task, rounds, facts }: Report): string {
  const { next, goal } = task;
  const { answer, notSolved, stop } =
    next.kind === 'over' ? next : { answer: '', notSolved: [], stop: undefined };
  const doubt = findDoubt(facts);
  const head = [
    ...(stop === undefined ? [] : [`Stopped: ${stop}`, `Not done: ${goal}`]),
    ...(doubt === undefined ? [] : [`Not verified: ${doubt}`]),
  ];
  const last = rounds.at(-1);
  const isFailed = stop !== undefined && last?.view.status === 'failed';
  const isChanged = facts.some(({ kind }) => kind === 'change');
  const code = isChanged ? '' : showWholeCode(last?.results ?? []);
  return [
    head.join('\n'),
    labelCode(asModelsWords(answer)),
    isFailed ? describeFailure(last.view) : '',
    notSolved.map((one) => `Not solved: ${asModelsWords(one)}`).join('\n'),
    code,
    describeEvidence({ task, rounds, facts }),
    stop === undefined ? '' : 'Say "continue" to go on with it.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A model must not be able to write the lines that are Tutti's to write. */
function asModelsWords(text: string): string {
  const ours =
    /^(?=[^\w\n]{0,9}(?:evidence, recorded|not verified|verified|not done|stopped)\b)/gim;
  return text.replaceAll(ours, 'The model says: ');
}

function describeEvidence({ task, rounds, facts }: Report): string {
  const used = [
    pluralize(rounds.length, 'round'),
    pluralize(countCalls(rounds.map(({ view }) => view)), 'tool call'),
    `${Math.max(1, Math.round(task.usedMs / 1_000))} s`,
  ];
  const diffs = facts.flatMap((fact) => (fact.kind === 'change' ? [fact.diff.trimEnd()] : []));
  const lines = [
    ...facts.map(describeFact),
    ...touchedTests(facts),
    ...failuresOf(rounds),
    used.join(', '),
  ];
  return [
    `Evidence, recorded by Tutti:\n${lines.map((line) => `- ${line}`).join('\n')}`,
    ...showDiff(diffs.filter((diff) => diff !== '').join('\n')),
  ].join('\n\n');
}

function describeFact(fact: Fact): string {
  const at = `round ${fact.round}`;
  switch (fact.kind) {
    case 'tests': {
      const note = fact.partial ?? fact.problem;
      return `Tests: ${fact.passed} passed, ${fact.failed} failed (${at})${note === undefined ? '' : `; ${note}`}`;
    }
    case 'findings':
      return `${pluralize(fact.count, 'finding')} by ${fact.tool} (${at})`;
    case 'effect':
      return `${fact.tool} was called (${at}); what it changed is not known`;
    case 'change':
      return `Change ${fact.id} by ${fact.tool} (${at}): ${fact.files.map(({ text }) => text).join(', ')}`;
  }
}

/** Tests that pass because they were changed prove little: a person should look. */
function touchedTests(facts: readonly Fact[]): string[] {
  const paths = facts.flatMap((fact) => (fact.kind === 'change' ? fact.files : []));
  const tests = new Set(
    paths.map(({ path }) => path).filter((path) => /tests?\b|spec/i.test(path)),
  );
  return tests.size === 0 ? [] : [`Test files were changed: ${[...tests].join(', ')}`];
}

/** What failed in the last round; earlier failures were followed by another attempt. */
function failuresOf(rounds: readonly EndedRound[]): string[] {
  return Object.entries(rounds.at(-1)?.view.steps ?? {})
    .filter(([, { status }]) => status === 'failed' || status === 'unknown')
    .slice(0, maxFailures)
    .map(([step, { tool, error }]) => {
      const message = (error?.message ?? 'its outcome is unknown').slice(0, maxMessageChars);
      return `Failed: step ${step}${tool === undefined ? '' : ` (${tool})`}: ${message}`;
    });
}

function showDiff(diff: string): string[] {
  if (diff === '') return [];
  const lines = diff.split('\n');
  const rest = lines.length - maxDiffLines;
  const more = rest > 0 ? [`… ${rest} more lines`] : [];
  const fence = diff.includes('```') ? '`````' : '```';
  return [[`${fence}diff`, ...lines.slice(0, maxDiffLines), ...more, fence].join('\n')];
}
