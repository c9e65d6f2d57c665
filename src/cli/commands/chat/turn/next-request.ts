import { isOneEffect, type AskOutcome } from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import { askApproval } from '../../runs/ask-approval.ts';
import { describeWaits } from '../../runs/describe-wait.ts';
import { readChoice } from '../../../../kernel/index.ts';
import type { PlanOutcome } from './describe-plan.ts';
import { describeEffects, isSameEffect, showEffects, type ShownEffect } from './shown-effect.ts';
import type { Turn, TurnParts } from './take-turn.ts';

export interface NextRequest {
  readonly turn: Turn;
  /** The effect that was shown with the plan the person chose: choosing it approves it. */
  readonly approved?: ShownEffect | undefined;
}

/** What the person at the terminal answers to an outcome; undefined when they leave it open or there is no terminal. */
export async function nextRequest(
  outcome: AskOutcome,
  parts: TurnParts,
  approved?: ShownEffect,
): Promise<NextRequest | undefined> {
  if (parts.output.isJson) return undefined;
  switch (outcome.kind) {
    case 'plan':
      return settlePreview(outcome, parts);
    case 'question':
      return outcome.runId === undefined
        ? answerQuestion(outcome.sessionId, parts)
        : settleRun({ runId: outcome.runId, session: outcome.sessionId, approved }, parts);
    case 'refusal':
    case 'answer':
      return undefined;
  }
}

/**
 * The agent itself reads `yes`, `no`, the number of another plan, or what is wanted instead. A plan of one step
 * that asks for approval does nothing before that is given, so the approval is the one question about it. Among
 * several plans its effect is shown with the question, and its number is the approval.
 */
async function settlePreview(
  { sessionId: session, plan, candidates }: PlanOutcome,
  parts: TurnParts,
): Promise<NextRequest | undefined> {
  const { ask, asksBack, output } = parts;
  const isChoice = candidates.length > 1;
  if (ask && !isChoice && isOneEffect(plan)) return { turn: { message: 'yes', session } };
  const effects = ask && isChoice ? await showEffects(candidates, parts) : new Map<never, never>();
  const answer = (await ask?.(previewQuestion(candidates.length, effects)))?.trim();
  const isOpen = answer === undefined || (answer === '' && isChoice);
  if (isOpen) {
    const [what, answered] = isChoice ? ['the first', '1'] : ['it', 'yes'];
    if (asksBack)
      output.note(`Nothing was run. Run ${what}: tutti ask --session ${session} ${answered}`);
    return undefined;
  }
  const approved = effects.get(readChoice(answer) ?? 0);
  return { turn: { message: answer === '' ? 'yes' : answer, session }, approved };
}

function previewQuestion(count: number, effects: ReadonlyMap<number, ShownEffect>): string {
  if (count < 2) return 'Run it? [Y/n] ';
  const numbers = count === 2 ? '1 or 2' : `1 to ${count}`;
  const note = effects.size > 0 ? ' Choosing a plan shown here approves its call.' : '';
  return `${describeEffects(effects)}Which one?${note} [${numbers}, n for none] `;
}

async function answerQuestion(
  session: string,
  { ask, asksBack, output }: TurnParts,
): Promise<NextRequest | undefined> {
  if (!asksBack) return undefined;
  const answer = (await ask?.('> '))?.trim() ?? '';
  if (answer !== '') return { turn: { message: answer, session } };
  output.note(`Answer it: tutti ask --session ${session} "…"`);
  return undefined;
}

interface WaitingRun {
  readonly runId: string;
  readonly session: string;
  readonly approved: ShownEffect | undefined;
}

/** A run that waits: approvals are asked for right here, as `tutti run` does. */
async function settleRun(
  { runId, session, approved }: WaitingRun,
  { system, ask, asksBack, output, leftFor }: TurnParts,
): Promise<NextRequest | undefined> {
  const view = await system.workflows.show(localCaller, runId);
  const approval = view.waitingFor.find((wait) => wait.kind === 'approval');
  const isApproved = approval && approved && isSameEffect(approval, approved);
  const verdict = isApproved ? 'approved' : approval && ask && (await askApproval(ask, approval));
  const left = leftFor?.();
  if (left === 'request') {
    output.note(
      `Run ${runId} still waits for your approval: /approve or /deny, or later "tutti runs approve ${runId}"`,
    );
  }
  if (left) return undefined;
  if (!approval || !verdict) {
    const waits = describeWaits(view);
    if (waits !== '') output.note(waits);
    if (approval && !asksBack) output.note('  or in this chat: /approve, /deny');
    return undefined;
  }
  const { step, approvalId } = approval;
  // Just what was shown: a question that has taken its place meanwhile is asked anew.
  await system.workflows.decide(localCaller, view.runId, { step, approvalId, verdict });
  return { turn: goingOn(session) };
}

/** Has the agent go on with the run that its last turn left waiting. */
export function goingOn(session: string): Turn {
  return { message: 'continue', session };
}
