import type { Plan } from '../../contract/plan/index.ts';
import type { Session, Turn } from '../../contract/session/index.ts';
import { readChoice, readShortReply } from '../../kernel/index.ts';
import { missingInputs } from '../propose/index.ts';

/** What a message is, seen from what the assistant said last. */
export type ReplyKind =
  | { readonly kind: 'new' }
  /** Yes to a plan, or the number of one. `firstOf` says of how many a mere yes took the first. */
  | { readonly kind: 'accepted'; readonly plan: Plan; readonly firstOf?: number }
  | { readonly kind: 'declined' }
  /** Values for what a plan lacks. */
  | { readonly kind: 'supplied'; readonly plan: Plan }
  /** Continue a run that waited for a person. */
  | { readonly kind: 'resumed'; readonly runId: string }
  /** An answer to questions, or a change to a plan that was shown; `request` is what they were about. */
  | { readonly kind: 'answered'; readonly request: string; readonly to: 'question' | 'plan' }
  /** A short reply that fits nothing of what is open: `open` is asked or shown once more. */
  | { readonly kind: 'misfit'; readonly open: Turn; readonly why: string };

/** More questions in a row than this belong to older requests. */
const maxQuestionsBack = 3;

/**
 * Reads a message as the answer to the assistant's last turn, where it is one. Yes, no and numbers are decided
 * here; whether longer words answer a question or are a request of their own is not (`settleReply`). Only a
 * model asks questions that yes or no answers.
 */
export function readReply(words: string, { turns }: Session, hasModel = false): ReplyKind {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return { kind: 'new' };
  const short = readShortReply(words);
  if (last.outcome === 'question' && last.runId !== undefined) {
    return short === undefined ? { kind: 'new' } : { kind: 'resumed', runId: last.runId };
  }
  if (last.outcome !== 'plan' && last.outcome !== 'question') return { kind: 'new' };
  const answered = { kind: 'answered', request: requestBefore(turns), to: last.outcome } as const;
  const isOpenQuestion = last.plan === undefined && (last.alternatives ?? []).length === 0;
  if (isOpenQuestion && hasModel) return answered;
  if (short === 'no') return { kind: 'declined' };
  const lacking = last.alternatives?.find((plan) => isAskedAbout(plan, last));
  if (lacking && short === 'yes') return { kind: 'misfit', open: last, why: misfitText(0, true) };
  if (lacking) return { kind: 'supplied', plan: lacking };
  const choices = [...(last.plan ? [last.plan] : []), ...(last.alternatives ?? [])];
  const number = short === 'yes' ? 1 : readChoice(words);
  const chosen = choices.at(number === undefined || number < 0 ? (number ?? 0) : number - 1);
  const isComplete = chosen && missingInputs(chosen).length === 0;
  if (number !== undefined && number !== 0 && isComplete) {
    const isUnsaid = short === 'yes' && choices.length > 1;
    return { kind: 'accepted', plan: chosen, ...(isUnsaid && { firstOf: choices.length }) };
  }
  if (number !== undefined && (choices.length > 0 || short === 'yes')) {
    return { kind: 'misfit', open: last, why: misfitText(choices.length, short === 'yes') };
  }
  return answered;
}

function misfitText(count: number, isYes: boolean): string {
  if (isYes) return 'Yes or no does not answer that.';
  return count === 1 ? 'There is only one plan.' : `There are plans 1 to ${count}.`;
}

function isAskedAbout(plan: Plan, { questions = [] }: Turn): boolean {
  const [missing] = missingInputs(plan);
  return missing !== undefined && questions[0] === missing.question;
}

/** What the questions and plans at the end of these turns were about, with what was answered so far. */
function requestBefore(turns: readonly Turn[]): string {
  const said: string[] = [];
  for (let at = turns.length - 1; at > 0 && said.length < maxQuestionsBack; at -= 2) {
    const [user, assistant] = [turns[at - 1], turns[at]];
    const isOpen = assistant?.outcome === 'question' || assistant?.outcome === 'plan';
    if (!isOpen || assistant.runId !== undefined || user?.role !== 'user') break;
    const isShort = (readShortReply(user.text) ?? readChoice(user.text)) !== undefined;
    if (!isShort) said.unshift(user.text);
  }
  return said.join('\n');
}

/** How often in a row the same question has been asked at the end of these turns. */
export function timesAsked({ turns }: Session, question: string): number {
  let times = 0;
  for (let at = turns.length - 1; at >= 0; at -= 2) {
    if (turns[at]?.questions?.[0] !== question) break;
    times += 1;
  }
  return times;
}
