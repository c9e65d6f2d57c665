import { isOneEffect, type AskOutcome } from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import { approvalQuestion, verdictOf } from '../../runs/ask-approval.ts';
import { describeWaits } from '../../runs/describe-wait.ts';
import type { PlanOutcome } from './describe-plan.ts';
import type { Turn, TurnParts } from './take-turn.ts';

/** What the person at the terminal says to what came of a message; undefined when nothing, or nobody is there. */
export async function nextRequest(
  outcome: AskOutcome,
  parts: TurnParts,
): Promise<Turn | undefined> {
  if (parts.output.isJson) return undefined;
  switch (outcome.kind) {
    case 'plan':
      return settlePreview(outcome, parts);
    case 'question':
      return outcome.runId === undefined
        ? answerQuestion(outcome.sessionId, parts)
        : settleRun({ runId: outcome.runId, session: outcome.sessionId }, parts);
    case 'refusal':
    case 'answer':
      return undefined;
  }
}

/**
 * The agent itself reads `yes`, `no`, the number of another plan, or what is wanted instead. A plan of one step
 * that asks for approval does nothing before that is given, so the approval is the one question about it.
 */
async function settlePreview(
  { sessionId: session, plan, candidates }: PlanOutcome,
  { ask, asksBack, output }: TurnParts,
): Promise<Turn | undefined> {
  if (ask && candidates.length < 2 && isOneEffect(plan)) return { message: 'yes', session };
  const answer = (await ask?.(previewQuestion(candidates.length)))?.trim();
  const isOpen = answer === undefined || (answer === '' && candidates.length > 1);
  if (!isOpen) return { message: answer === '' ? 'yes' : answer, session };
  if (asksBack) output.note(`Nothing was run. Run it: tutti ask --session ${session} yes`);
  return undefined;
}

function previewQuestion(count: number): string {
  if (count < 2) return 'Run it? [Y/n] ';
  return `Which one? [${count === 2 ? '1 or 2' : `1 to ${count}`}, n for none] `;
}

async function answerQuestion(
  session: string,
  { ask, asksBack, output }: TurnParts,
): Promise<Turn | undefined> {
  if (!asksBack) return undefined;
  const answer = (await ask?.('> '))?.trim() ?? '';
  if (answer !== '') return { message: answer, session };
  output.note(`Answer it: tutti ask --session ${session} "…"`);
  return undefined;
}

/** A run that waits: approvals are asked for right here, as `tutti run` does. */
async function settleRun(
  { runId, session }: { readonly runId: string; readonly session: string },
  { system, ask, asksBack, output, isLeft }: TurnParts,
): Promise<Turn | undefined> {
  const view = await system.workflows.show(localCaller, runId);
  const approval = view.waitingFor.find((wait) => wait.kind === 'approval');
  const answer = approval && (await ask?.(approvalQuestion(approval)));
  const verdict = answer === undefined ? undefined : verdictOf(answer);
  // The line typed instead is what they want now; the run waits on.
  if (isLeft?.() === true) return undefined;
  if (!approval || !verdict) {
    const waits = describeWaits(view);
    if (waits !== '') output.note(waits);
    if (approval && !asksBack) output.note('  or in this chat: /approve, /deny');
    return undefined;
  }
  const { step, approvalId } = approval;
  // Just what was shown: a question that has taken its place meanwhile is asked anew.
  await system.workflows.decide(localCaller, view.runId, { step, approvalId, verdict });
  return goingOn(session);
}

/** Has the agent go on with the run that its last turn left waiting. */
export function goingOn(session: string): Turn {
  return { message: 'continue', session };
}
