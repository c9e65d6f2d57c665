import { isDeepStrictEqual } from 'node:util';
import {
  type AskOutcome,
  isOneEffect,
  type PlanCandidate,
} from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Json } from '../../../../contract/plan/index.ts';
import { AppError, readChoice } from '../../../../kernel/index.ts';
import { type Approval, askApproval, describeWaits, showCall } from '../../runs/approvals.ts';
import type { PlanOutcome, Turn, TurnParts } from './take-turn.ts';

interface NextRequest {
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
  // Exactly what was shown: a question that has replaced it meanwhile is asked again.
  await system.workflows.decide(localCaller, view.runId, { step, approvalId, verdict });
  return { turn: goingOn(session) };
}

/** Has the agent go on with the run that its last turn left waiting. */
export function goingOn(session: string): Turn {
  return { message: 'continue', session };
}

/** The only call of a plan, as it was shown before the plan was chosen. */
export interface ShownEffect {
  readonly tool: string;
  readonly arguments: Json;
  readonly preview?: string;
  readonly isPreviewCut?: true;
}

/** What the plans of one effect would do, by number; those whose arguments are not known yet are left out. */
async function showEffects(
  candidates: readonly PlanCandidate[],
  parts: Pick<TurnParts, 'system' | 'signal'>,
): Promise<ReadonlyMap<number, ShownEffect>> {
  const shown = new Map<number, ShownEffect>();
  for (const [index, { plan }] of candidates.entries()) {
    const [{ tool = '', args = {} } = {}] = plan.steps;
    if (!isOneEffect(plan) || JSON.stringify(args).includes('${')) continue;
    const effect = await previewEffect(tool, args, parts);
    // What is not shown as a whole is asked about again.
    if (effect && !showCall(effect).isCut) shown.set(index + 1, effect);
  }
  return shown;
}

/** Undefined where the call would fail: the run says why. */
async function previewEffect(
  name: string,
  args: Readonly<Record<string, Json>>,
  { system, signal }: Pick<TurnParts, 'system' | 'signal'>,
): Promise<ShownEffect | undefined> {
  const [server = '', tool = ''] = name.split('.');
  try {
    const preview = await system.preview({ server, tool, args }, signal);
    return {
      tool: name,
      arguments: args,
      ...(preview && { preview: preview.text, ...(preview.isCut && { isPreviewCut: true }) }),
    };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function describeEffects(shown: ReadonlyMap<number, ShownEffect>): string {
  const lines = [...shown].map(
    ([number, effect]) => `Plan ${number}:\n${showCall(effect).lines.join('\n')}\n`,
  );
  return lines.join('');
}

/** Whether an approval asks for exactly what was shown. */
function isSameEffect(approval: Approval, shown: ShownEffect): boolean {
  const { tool, arguments: args, preview } = approval;
  return (
    tool === shown.tool && preview === shown.preview && isDeepStrictEqual(args, shown.arguments)
  );
}
