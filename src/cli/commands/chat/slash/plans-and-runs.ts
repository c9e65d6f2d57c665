import { localCaller } from '../../../../contract/caller/index.ts';
import { ApprovalUnseenError, UsageError } from '../../../errors.ts';
import { findApproval } from '../../runs/see-approval.ts';
import { showCall } from '../../runs/shown-call.ts';
import { chatTurn, lastPlan, type Chat } from '../chat.ts';
import { goingOn } from '../turn/next-request.ts';
import { runCommandLine } from './command-line.ts';
import type { RunSlash } from './slash-commands.ts';

/** `/plan`: the last plan; `/plan yes`, `/plan 2`, `/plan no`: the same as without `/plan`. */
export const plan: RunSlash = async (chat, { text }) => {
  const { invocation, system, state } = chat;
  const { session } = state;
  if (text !== '' && session !== undefined) return chatTurn(chat, { message: text, session });
  const last = lastPlan(state);
  if (!last) throw new UsageError('There is no plan yet: say what you want');
  const drawing = await system.workflows.draw(last, 'text');
  invocation.output.result(last, () => drawing);
  return 0;
};

export const approve: RunSlash = (chat, { words }) => decide(chat, 'approved', words);
export const deny: RunSlash = (chat, { words }) => decide(chat, 'denied', words);

async function decide(
  chat: Chat,
  verdict: 'approved' | 'denied',
  [run, step]: readonly string[],
): Promise<number> {
  const { system, state } = chat;
  const waiting = state.last && 'runId' in state.last ? state.last.runId : undefined;
  const runId = run ?? waiting;
  const verb = verdict === 'approved' ? 'approve' : 'deny';
  if (runId === undefined) {
    throw new UsageError(`Nothing waits here. "/${verb} RUN [STEP]" decides about another run`);
  }
  const { session } = state;
  if (session === undefined || waiting?.startsWith(runId) !== true) {
    return runCommandLine(chat, ['runs', verb, runId, ...(step ? [step] : [])]);
  }
  const shown =
    verdict === 'approved'
      ? await findApproval(system.workflows, { runId: waiting, step })
      : undefined;
  if (shown && showCall(shown).isCut) throw new ApprovalUnseenError(waiting, shown.step);
  await system.workflows.decide(localCaller, waiting, {
    verdict,
    ...(step && { step }),
    ...(shown && { approvalId: shown.approvalId }),
  });
  return chatTurn(chat, goingOn(session));
}
