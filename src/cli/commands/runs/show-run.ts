import { localCaller } from '../../../contract/caller/index.ts';
import type {
  RunStatus,
  RunSummary,
  RunView,
  StepView,
  Workflows,
} from '../../../contract/run/index.ts';
import { systemClock } from '../../../kernel/index.ts';
import { UnknownNameError, UsageError } from '../../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../../invocation.ts';
import {
  cutText,
  firstSentence,
  formatColumns,
  type Output,
  type ShowTime,
  timeShower,
} from '../../output.ts';
import {
  type Approval,
  describeWait,
  describeWaits,
  seenCode,
  shellWord,
  wholeCall,
} from './approvals.ts';
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
  return withSystem(invocation, {}, async ({ workflows }) => {
    const [runId = '', step] = await withRunId(workflows, operands);
    const view = await workflows.show(localCaller, runId);
    if (step === undefined) {
      const shown = await outputText(view);
      output.result(view, () => runText(view, shown, output));
    } else {
      const found = Object.hasOwn(view.steps, step) ? view.steps[step] : undefined;
      if (!found) throw new UnknownNameError('step', step, Object.keys(view.steps));
      const approval = view.waitingFor.find(
        (wait): wait is Approval => wait.kind === 'approval' && wait.step === step,
      );
      const asked = approval && { arguments: approval.arguments, seen: seenCode(approval) };
      const shown = approval ? approvalText(view.runId, approval) : await stepText(found);
      output.result({ ...found, ...asked }, () => shown);
    }
    return 0;
  });
}

function runText(view: RunView, text: string, { paint }: Output): string {
  const options = { paint, nowMs: systemClock.now(), maxLines: maxTreeLines, columns: treeColumns };
  const about = view.name ?? view.goal;
  return [
    ...(about === null ? [] : [paint.bold(about)]),
    ...drawTree(view, options),
    ...(text === '' ? [] : [cutText(text, maxOutput)]),
    ...(text.length > maxOutput ? [`[cut: tutti runs show ${view.runId} --json has all]`] : []),
    ...(view.error ? [`error: ${view.error.message} (${view.error.code})`] : []),
    ...(view.forkedFrom === null ? [] : [`Forked from ${view.forkedFrom}`]),
    ...(view.traceId === null ? [] : [paint.dim(`Trace: tutti trace ${view.traceId}`)]),
    verdict(view),
    describeWaits(view),
  ].join('\n');
}

/** All of a call that waits for approval, and the command that approves just that. */
function approvalText(runId: string, approval: Approval): string {
  const command = `tutti runs approve ${runId} ${shellWord(approval.step)}`;
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
  return withSystem(invocation, {}, async ({ workflows }) => {
    const runs = await workflows.list(localCaller, { limit, ...(status && { status }) });
    output.result(runs, () =>
      runs.length === 0
        ? 'There are no runs: "tutti run PLAN" starts one'
        : table(runs, timeShower(invocation.io)),
    );
    return 0;
  });
}

function table(runs: readonly RunSummary[], showTime: ShowTime): string {
  return formatColumns(
    runs.map(({ runId, status, isInterrupted, createdAt, startedAt, endedAt, name, goal }) => [
      runId,
      isInterrupted ? 'interrupted' : status,
      showTime(createdAt),
      startedAt === null || endedAt === null ? '' : durationText(startedAt, endedAt),
      isInterrupted
        ? `${firstSentence(name ?? goal ?? '', maxNameLength)}  tutti runs resume ${runId}`.trim()
        : firstSentence(name ?? goal ?? '', maxNameLength),
    ]),
  );
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

/** The operands of an action with `last`, the newest run, replaced by its id. */
export async function withRunId(
  workflows: Workflows,
  operands: readonly string[],
): Promise<readonly string[]> {
  const [run, ...others] = operands;
  if (run !== 'last') return operands;
  const [newest] = await workflows.list(localCaller, { limit: 1 });
  if (!newest) {
    throw new UsageError('There are no runs: "tutti run PLAN" starts one', { hint: '' });
  }
  return [newest.runId, ...others];
}

/** The run that waits for approval, where there is just one. */
export async function onlyWaitingRun(workflows: Workflows): Promise<string> {
  const filter = { status: ['waiting'], limit: maxWaiting } as const;
  const runs = await workflows.list(localCaller, filter);
  const views = await Promise.all(runs.map(({ runId }) => workflows.show(localCaller, runId)));
  const waiting = views.filter(({ waitingFor }) =>
    waitingFor.some(({ kind }) => kind === 'approval'),
  );
  const [only, another] = waiting;
  if (!only) throw new UsageError('No run waits for approval', { hint: '' });
  if (another) {
    const lines = waiting.map((view) => `  ${describeRun(view)}`);
    throw new UsageError(`Several runs wait for approval. Say which:\n${lines.join('\n')}`);
  }
  return only.runId;
}

function describeRun({ runId, name, goal }: RunView): string {
  return `${runId}  ${firstSentence(name ?? goal ?? '', maxNameLength)}`.trimEnd();
}
