import { localCaller } from '../../../contract/caller/index.ts';
import type { RunView, StepView } from '../../../contract/run/index.ts';
import { systemClock } from '../../../kernel/index.ts';
import { UnknownNameError } from '../../errors.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import { cutText, type Output } from '../../output.ts';
import { describeWait, describeWaits, shellWord } from './describe-wait.ts';
import { withRunId } from './find-run.ts';
import { outputText, valueText } from './output-text.ts';
import { verdict } from './run-result.ts';
import { drawTree } from './run-tree.ts';
import { seenCode, wholeCall, type Approval } from './shown-call.ts';

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
