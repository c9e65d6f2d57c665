import { rememberResults, isBadResult, type StepResult } from './results-of-run.ts';
import { findList, itemLine } from './result-items.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { RunView, StepView, Waiting } from '../../contract/run/index.ts';
import { pluralize } from '../../kernel/index.ts';

const maxLines = 40;
/** Of each step, where a run has several. */
const maxStepLines = 16;
const maxLineChars = 400;
const maxMessageChars = 1_000;

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
    ...(skipped.length > 0 ? [`Skipped ${pluralize(skipped.length, 'step')}: ${names}.`] : []),
    ...(shown.length === 0 && !results.some(hasCode) ? ['Done. There is nothing to show.'] : []),
  ].join('\n\n');
}

/** A file that was read only as input of a later step. */
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
  const lines = text.split('\n').map((line) => cut(line.trimEnd(), maxLineChars));
  const isCut = lines.length > limit + 1;
  const isListCut = lines.some((line) => /^… and \d+ more/.test(line));
  return [
    ...lines.slice(0, isCut ? limit : lines.length),
    ...(isCut ? [`… ${pluralize(lines.length - limit, 'more line')}: say "show all".`] : []),
    ...(isListCut && !isCut ? ['Say "show all" for the whole list.'] : []),
  ].join('\n');
}

/** What went wrong with a run and what to do about it; said by us, so that nothing is glossed over. */
export function describeFailure(view: RunView): string {
  const { runId, status, error } = view;
  if (status === 'cancelled')
    return `The run was cancelled. "tutti runs show ${runId}" tells how far it came.`;
  const failed = Object.entries(view.steps).filter(
    ([, step]) => step.status === 'failed' || step.status === 'unknown',
  );
  const done = Object.values(view.steps).filter((step) => step.status === 'succeeded').length;
  if (error?.code === 'workflow.approval_denied') {
    return [
      `Not done: ${cut(error.message, maxMessageChars)}.`,
      ...(done > 0 ? [`${pluralize(done, 'earlier step')} succeeded.`] : []),
    ].join('\n');
  }
  return [
    `It did not work: ${cut(error?.message ?? `the run ended as ${status}`, maxMessageChars)}`,
    ...failed
      .filter(([, step]) => !isSaid(step, error))
      .map(
        ([path, step]) =>
          `- step ${path}${step.tool === undefined ? '' : ` (${step.tool})`}: ${step.error ? `${step.error.code}: ${cut(step.error.message, maxMessageChars)}` : 'failed'}`,
      ),
    ...(done > 0
      ? [
          `${pluralize(done, 'earlier step')} succeeded and ${done === 1 ? 'keeps its result' : 'keep their results'}.`,
        ]
      : []),
    `"tutti runs retry ${runId}" tries again what failed; "tutti runs show ${runId}" tells all; or say what to do differently.`,
  ].join('\n');
}

/** A run usually fails by the error of its one failed step. */
function isSaid(step: StepView, error: RunView['error']): boolean {
  return step.error !== undefined && error?.message.includes(step.error.message) === true;
}

/** What a run waits for, as questions to a person, with the command that answers. */
export function describeWaits({ runId, waitingFor }: RunView): string[] {
  return waitingFor.map((waiting) => describeWait(runId, waiting));
}

/** The first line of a preview sums it up; without one the arguments have to do. */
function effectOf({ preview, arguments: args }: Extract<Waiting, { kind: 'approval' }>): string {
  if (preview === undefined) return ` with ${cut(JSON.stringify(args), maxMessageChars)}`;
  return `: ${cut(preview.split('\n', 1)[0] ?? '', maxMessageChars).replace(/:$/, '')}`;
}

function describeWait(runId: string, waiting: Waiting): string {
  const { step } = waiting;
  switch (waiting.kind) {
    case 'approval': {
      const call =
        waiting.tool === null ? '' : ` It would call ${waiting.tool}${effectOf(waiting)}.`;
      return `Step "${step}" needs your approval.${call} Give it with: tutti runs approve ${runId} ${step} (or deny). I cannot approve it for you.`;
    }
    case 'signal':
      return `Step "${step}" waits for the signal "${waiting.signal}": tutti runs signal ${runId} ${waiting.signal} JSON`;
    case 'resolve':
      return `The outcome of step "${step}" (${waiting.tool}) is unknown. Check whether it happened, then: tutti runs resolve ${runId} ${step} --happened or --not-happened`;
    case 'repair':
      return `Step "${step}" failed (${cut(waiting.error.message, maxMessageChars)}): tutti runs repair ${runId} ${step} --args JSON, or --give-up`;
  }
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}

type Kind = ReturnType<typeof rememberResults>[number]['kind'];

interface Idea {
  readonly say: string;
  /** The tool that does it. */
  readonly tool: string;
  readonly after: Kind;
  readonly unless?: Kind;
}

const ideas: readonly Idea[] = [
  { say: 'write tests for it', tool: 'code.generate_tests', after: 'code', unless: 'tests' },
  { say: 'review it', tool: 'code.review_code', after: 'code', unless: 'review' },
  { say: 'refactor it', tool: 'code.refactor_code', after: 'review' },
  { say: 'run the tests', tool: 'exec.run_tests', after: 'tests' },
];

/** Other verbs for what a saying begins with. */
export const sameVerbs: ReadonlyMap<string, string> = new Map([
  ['save', 'apply'],
  ['write', 'apply'],
]);

const applySaying = 'apply it';
const applyOffer = `Say "${applySaying}" to write the change to the file.`;
const ideasStart = 'Next you could say ';

interface DoneSoFar {
  readonly results: readonly StepResult[];
  readonly changesFile: boolean;
  /** Names of the tools there are. */
  readonly tools: ReadonlySet<string>;
}

/** What could be said next, of what the tools that are there can do; empty where nothing follows. */
export function nextSteps({ results, changesFile, tools }: DoneSoFar): string {
  if (changesFile && tools.has('workspace.apply_changes')) return applyOffer;
  const kinds = new Set(rememberResults(results, '').map(({ kind }) => kind));
  const fitting = ideas.filter(
    ({ tool, after, unless }) =>
      kinds.has(after) && (unless === undefined || !kinds.has(unless)) && tools.has(tool),
  );
  if (fitting.length === 0) return '';
  return `${ideasStart}${fitting.map(({ say }) => `"${say}"`).join(', ')}.`;
}

/** What an answer of `nextSteps` offered to say; only our own sayings, because an answer also quotes files and tools. */
export function offeredSteps(answer: string): readonly string[] {
  const lines = answer.split('\n');
  if (lines.includes(applyOffer)) return [applySaying];
  const said = lines.findLast((line) => line.startsWith(ideasStart));
  return ideas.map(({ say }) => say).filter((say) => said?.includes(`"${say}"`));
}
