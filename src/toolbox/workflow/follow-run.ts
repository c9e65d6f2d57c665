import type { RunView, Workflows } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError } from '../../kernel/index.ts';
import { askApproval, type ApprovalWait } from './ask-approval.ts';
import { isSettled } from './show-run.ts';

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
    // Another decision may have come first; the run shows which counts.
    if (!(error instanceof AppError)) throw error;
  }
}

const maxNamed = 5;
/** Between two numbers of done steps there is room for as many other messages. */
const messageShare = 1 / 1_000;

/**
 * Tells a client how far a run is: done steps of all, and those that run. Each number is greater than
 * the one before, as MCP asks, also when only the message is new.
 */
export function createRunProgress(progress: CallContext['progress']): (view: RunView) => void {
  let lastNumber = -1;
  let lastMessage = '';
  return (view) => {
    const steps = Object.values(view.steps);
    const done = steps.filter(({ status }) => isSettled(status)).length;
    const message = describeRun(view);
    if (done <= lastNumber && message === lastMessage) return;
    const number = done > lastNumber ? done : lastNumber + messageShare;
    lastNumber = number;
    lastMessage = message;
    progress({ progress: number, total: steps.length, message });
  };
}

/** What a run does at the moment, in a line: `running: build, tests[2] 3/10`. */
export function describeRun(view: RunView): string {
  const named = Object.entries(view.steps)
    .filter(([, { status }]) => status === 'running')
    .map(([path, { items, progress }]) => {
      if (items) return `${path} ${items.done}/${items.total}`;
      return progress?.message === undefined ? path : `${path} (${firstLine(progress.message)})`;
    });
  if (named.length === 0) return view.status;
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : '';
  return `${view.status}: ${named.slice(0, maxNamed).join(', ')}${more}`;
}

const maxMessageChars = 80;

function firstLine(text: string): string {
  const [line = ''] = text.slice(0, 2 * maxMessageChars).split('\n', 1);
  return line.length <= maxMessageChars ? line : `${line.slice(0, maxMessageChars - 1)}…`;
}
