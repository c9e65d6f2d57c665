import { localCaller } from '../../../contract/caller/index.ts';
import type {
  RunFilter,
  RunStatus,
  RunSummary,
  RunView,
  StepView,
  Workflows,
} from '../../../contract/run/index.ts';
import { shellWord, systemClock } from '../../../kernel/index.ts';
import { UnknownNameError, UsageError } from '../../errors.ts';
import { elsewhere } from '../../in-folder.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../../invocation.ts';
import {
  cutText,
  firstSentence,
  formatColumns,
  type Output,
  type ShowTime,
  timeShower,
} from '../../output.ts';
import { type Approval, describeWait, describeWaits, seenCode, wholeCall } from './approvals.ts';
import { singleLine } from '../../printable.ts';
import type { System } from '../../../compose/index.ts';
import { exitCodes, outputText, valueText, verdict } from './run-result.ts';
import { drawTree, durationText } from './live-tree.ts';

const maxTreeLines = 200;
const maxOutput = 10_000;
const treeColumns = 160;

/** `runs show RUN [STEP]`: a run with its steps, or the whole of what one step gave. */
export async function showRun(
  invocation: Invocation,
  operands: readonly string[],
): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const { workflows, folder } = system;
    const [runId, step] = await withWholeRunId(invocation, system, operands);
    const view = await workflows.show(localCaller, runId);
    const place = elsewhere(view, await folder());
    if (step === undefined) {
      const shown = await outputText(view);
      output.result(view, () => runText(view, { text: shown, place }, output));
    } else {
      const found = Object.hasOwn(view.steps, step) ? view.steps[step] : undefined;
      if (!found) throw new UnknownNameError('step', step, Object.keys(view.steps));
      const approval = view.waitingFor.find(
        (wait): wait is Approval => wait.kind === 'approval' && wait.step === step,
      );
      const asked = approval && {
        arguments: approval.arguments,
        ...(approval.preview !== undefined && { preview: approval.preview }),
        seen: seenCode(approval),
      };
      const shown = approval ? approvalText(view.runId, approval) : await stepText(found);
      output.result({ ...found, ...asked }, () => shown);
    }
    return 0;
  });
}

function runText(
  view: RunView,
  { text, place }: { readonly text: string; readonly place: string | undefined },
  { paint }: Output,
): string {
  const options = { paint, nowMs: systemClock.now(), maxLines: maxTreeLines, columns: treeColumns };
  const about = view.name ?? view.goal;
  return [
    ...(about === null ? [] : [paint.bold(about)]),
    ...drawTree(view, options),
    ...(text === '' ? [] : [cutText(text, maxOutput)]),
    ...(text.length > maxOutput ? [`[cut: tutti runs show ${view.runId} --json has all]`] : []),
    ...(view.error ? [`error: ${view.error.message} (${view.error.code})`] : []),
    ...(view.forkedFrom === null ? [] : [`Forked from ${view.forkedFrom}`]),
    ...(place === undefined ? [] : [`In ${place}`]),
    ...(view.traceId === null ? [] : [paint.dim(`Trace: tutti trace ${view.traceId}`)]),
    verdict(view),
    describeWaits(view),
  ].join('\n');
}

/** All of a call that waits for approval, and the command that approves just that. */
function approvalText(runId: string, approval: Approval): string {
  const command = `tutti runs approve ${runId} ${shellWord(singleLine(approval.step))}`;
  if (approval.tool === null) return `${describeWait(approval)}\n  ${command}`;
  return [
    describeWait(approval).split('\n', 1)[0],
    wholeCall(approval),
    `Approve it: ${command} --seen ${seenCode(approval)}`,
  ].join('\n');
}

async function stepText({ status, output, stored, error }: StepView): Promise<string> {
  if (error) return `${status}: ${error.message} (${error.code})`;
  if (stored) {
    return `${stored.preview}\n[${stored.bytes} bytes in all: tutti call workflow.read_artifact id=${stored.id}]`;
  }
  return output === undefined ? status : valueText(output);
}

const usualCount = 20;
const maxNameLength = 60;

export async function listRuns(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const limit = limitOption(invocation, usualCount);
  const status = statusOption(invocation);
  return withSystem(invocation, {}, async ({ workflows, folder }) => {
    const here = await folder();
    const runs = await workflows.list(localCaller, { limit, ...(status && { status }) });
    output.result(runs, () =>
      runs.length === 0
        ? 'There are no runs: "tutti run PLAN" starts one'
        : table(runs, { showTime: timeShower(invocation.io), here }),
    );
    return 0;
  });
}

function table(
  runs: readonly RunSummary[],
  { showTime, here }: { readonly showTime: ShowTime; readonly here: string | undefined },
): string {
  return formatColumns(runs.map((run) => tableRow(run, elsewhere(run, here), showTime)));
}

function tableRow(
  { runId, status, isInterrupted, createdAt, startedAt, endedAt, name, goal }: RunSummary,
  place: string | undefined,
  showTime: ShowTime,
): readonly string[] {
  return [
    runId,
    isInterrupted ? 'interrupted' : status,
    showTime(createdAt),
    startedAt === null || endedAt === null ? '' : durationText(startedAt, endedAt),
    isInterrupted
      ? `${firstSentence(name ?? goal ?? '', maxNameLength)}  tutti runs resume ${runId}`.trim()
      : firstSentence(name ?? goal ?? '', maxNameLength),
    place === undefined ? '' : `in ${place}`,
  ];
}

function statusOption(invocation: Invocation): readonly RunStatus[] | undefined {
  const words = textOption(invocation, 'status')?.split(',');
  return words?.map((word) => {
    const name = word.trim();
    if (!Object.hasOwn(exitCodes, name)) {
      throw new UnknownNameError('status', name, Object.keys(exitCodes));
    }
    // Just proven to be a key of the table.
    return name as RunStatus;
  });
}

const maxWaiting = 20;

/**
 * The operands of an action with the id of the run that is meant first: `last` is the newest of this folder, and without
 * one it is the only run of this folder that waits for approval.
 */
export async function withRunId(
  invocation: Invocation,
  workflows: Workflows,
  [run, ...others]: readonly string[],
): Promise<readonly [runId: string, ...others: string[]]> {
  if (run === undefined) return [await onlyWaitingRun(workflows)];
  if (run !== 'last') return [run, ...others];
  const [last] = await workflows.list(localCaller, { limit: 1, where: 'here' });
  const [newest] = await workflows.list(localCaller, { limit: 1 });
  if (!newest) {
    throw new UsageError('There are no runs: "tutti run PLAN" starts one', { hint: '' });
  }
  if (!last) {
    throw new UsageError(`No run belongs to this folder. The last elsewhere: ${describe(newest)}`, {
      hint: '',
    });
  }
  if (last.runId !== newest.runId) {
    invocation.output.note(`There is a later one elsewhere: ${describe(newest)}`);
  }
  return [last.runId, ...others];
}

/** Agents of agents; there are fewer. */
const maxLevels = 8;

/** The same, where a run is looked at or ended: the last one is then the one that an agent's run is a part of. */
export async function withWholeRunId(
  invocation: Invocation,
  { workflows, agents }: Pick<System, 'workflows' | 'agents'>,
  operands: readonly string[],
): Promise<readonly [runId: string, ...others: string[]]> {
  const [named, ...others] = await withRunId(invocation, workflows, operands);
  let runId = named;
  for (let level = operands[0] === 'last' ? 0 : maxLevels; level < maxLevels; level += 1) {
    const decisions = await agents.why(localCaller, runId);
    const parent = decisions.find((one) => one.runId === runId)?.parentRun;
    if (parent === null || parent === undefined) break;
    runId = parent;
  }
  return [runId, ...others];
}

async function onlyWaitingRun(workflows: Workflows): Promise<string> {
  const filter = { status: ['waiting'], limit: maxWaiting } as const;
  const here = await waitingRuns(workflows, { ...filter, where: 'here' });
  const [only, another] = here;
  if (another) throw new UsageError(`Several runs wait for approval. Say which:${listed(here)}`);
  if (only) return only.runId;
  const all = await waitingRuns(workflows, filter);
  const where =
    all.length === 0
      ? 'No run waits for approval'
      : 'No run of this folder waits for approval. Elsewhere:';
  throw new UsageError(`${where}${listed(all)}`, { hint: '' });
}

async function waitingRuns(workflows: Workflows, filter: RunFilter): Promise<readonly RunView[]> {
  const runs = await workflows.list(localCaller, filter);
  const views = await Promise.all(runs.map(({ runId }) => workflows.show(localCaller, runId)));
  return views.filter(({ waitingFor }) => waitingFor.some(({ kind }) => kind === 'approval'));
}

function listed(runs: readonly RunView[]): string {
  return runs.map((run) => `\n  ${describe(run)}`).join('');
}

function describe({ runId, name, goal, folder }: RunSummary): string {
  const place = folder === undefined ? '' : `  in ${folder}`;
  return `${runId}  ${firstSentence(name ?? goal ?? '', maxNameLength)}${place}`.trimEnd();
}
