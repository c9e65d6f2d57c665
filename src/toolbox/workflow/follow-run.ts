import type { RunView, Workflows } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError } from '../../kernel/index.ts';
import { askApproval, type ApprovalWait } from './ask-approval.ts';
import { createRunProgress } from './run-progress.ts';

/** Questions to one client about one run; a plan that asks more often is decided elsewhere. */
const maxQuestions = 100;

export type FollowedRuns = Pick<Workflows, 'follow' | 'decide'>;

/**
 * Waits until a run is over, or waits for something this client cannot give. Approvals are asked for
 * through the client, of the person there; a question closed without an answer is not asked again.
 */
export async function followRun(
  workflows: FollowedRuns,
  runId: string,
  context: CallContext,
): Promise<RunView> {
  const onChange = createRunProgress(context.progress);
  const unanswered = new Set<string>();
  for (let questions = 0; ; questions += 1) {
    const { caller, signal } = context;
    const view = await workflows.follow(caller, runId, { execute: true, signal, onChange });
    const wait = view.waitingFor.find(
      (one): one is ApprovalWait => one.kind === 'approval' && !unanswered.has(one.approvalId),
    );
    if (view.status !== 'waiting' || !wait || questions === maxQuestions) return view;
    const verdict = await askApproval(runId, wait, context);
    if (verdict) await decide(workflows, { runId, wait, verdict }, context);
    // Asked once either way: a decision that came too late changes nothing.
    unanswered.add(wait.approvalId);
  }
}

interface Decided {
  readonly runId: string;
  readonly wait: ApprovalWait;
  readonly verdict: Awaited<ReturnType<typeof askApproval>> & object;
}

async function decide(
  workflows: FollowedRuns,
  { runId, wait, verdict }: Decided,
  { caller }: CallContext,
): Promise<void> {
  try {
    const { step, approvalId } = wait;
    await workflows.decide(caller, runId, { step, approvalId, ...verdict });
  } catch (error) {
    // Somebody else may have decided while the person here was thinking; the run tells what counts.
    if (!(error instanceof AppError)) throw error;
  }
}
