import { localCaller } from '../../../contract/caller/index.ts';
import type { Workflows } from '../../../contract/run/index.ts';
import { askLine, isAtTerminal } from '../../ask-line.ts';
import { ApprovalUnseenError } from '../../errors.ts';
import { textOption, type Invocation } from '../../invocation.ts';
import { askApproval } from './ask-approval.ts';
import { describeWait } from './describe-wait.ts';
import { seenCode, showCall, type Approval } from './shown-call.ts';

export interface WantedApproval {
  readonly runId: string;
  readonly step: string | undefined;
}

/** The one approval that is meant; undefined where there is none, or there are several. */
export async function findApproval(
  workflows: Workflows,
  { runId, step }: WantedApproval,
): Promise<Approval | undefined> {
  const { waitingFor } = await workflows.show(localCaller, runId);
  const [only, ...others] = waitingFor.filter(
    (wait): wait is Approval => wait.kind === 'approval' && (step ?? wait.step) === wait.step,
  );
  return others.length === 0 ? only : undefined;
}

/**
 * Shows what `runs approve` approves. What is too long for that is asked about here, or was shown before: then
 * `--seen` says so. Throws `cli.approval_unseen`. Undefined leaves the choice to who decides.
 */
export async function seeApproval(
  invocation: Invocation,
  workflows: Workflows,
  wanted: WantedApproval,
): Promise<Approval | undefined> {
  const { io, output } = invocation;
  const approval = await findApproval(workflows, wanted);
  if (!approval) return undefined;
  const { isCut } = showCall(approval);
  const isSeen = !isCut || textOption(invocation, 'seen') === seenCode(approval);
  if (isSeen) {
    if (!output.isJson) output.note(describeWait(approval));
    return approval;
  }
  const isAsked = isAtTerminal(io) && !output.isJson;
  const verdict = isAsked && (await askApproval((question) => askLine(io, question), approval));
  if (verdict === 'approved') return approval;
  throw new ApprovalUnseenError(wanted.runId, approval.step);
}
