import type { Plan } from '../../contract/plan/index.ts';
import type { Session, Turn } from '../../contract/session/index.ts';
import { missingInputs } from '../propose/index.ts';
import { plainReplyText, readShortReply } from './short-reply.ts';

/** What a message is, seen from what the assistant said last. */
export type ReplyKind =
  | { readonly kind: 'new' }
  /** Yes to a plan, or the number of one. */
  | { readonly kind: 'accepted'; readonly plan: Plan }
  | { readonly kind: 'declined' }
  /** Values for what a plan lacks. */
  | { readonly kind: 'supplied'; readonly plan: Plan }
  /** Go on with a run that waited for somebody. */
  | { readonly kind: 'resumed'; readonly runId: string }
  /** An answer to questions; `request` is what they were about. */
  | { readonly kind: 'answered'; readonly request: string };

const number = /^(?:#|plan |number |option |no\. ?)?(\d{1,2})[.)]?$/;

/** More questions in a row than this belong to older requests. */
const maxQuestionsBack = 3;

/** Reads a message as the answer to the assistant's last turn, where it is one. */
export function readReply(words: string, { turns }: Session): ReplyKind {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return { kind: 'new' };
  const short = readShortReply(words);
  const isYes = short === 'yes';
  const isNo = short === 'no';
  if (last.outcome === 'question' && last.runId !== undefined) {
    return short === undefined ? { kind: 'new' } : { kind: 'resumed', runId: last.runId };
  }
  if (last.outcome !== 'plan' && last.outcome !== 'question') return { kind: 'new' };
  const lacking = last.alternatives?.find((plan) => isAskedAbout(plan, last));
  if (lacking) return isNo ? { kind: 'declined' } : { kind: 'supplied', plan: lacking };
  const choices = [...(last.plan ? [last.plan] : []), ...(last.alternatives ?? [])];
  const chosen = choices[Number(number.exec(plainReplyText(words))?.[1] ?? 0) - 1];
  if (chosen) return { kind: 'accepted', plan: chosen };
  const isOnlyChoice = last.outcome === 'plan' || choices.length === 1;
  if (isYes && isOnlyChoice && choices[0]) return { kind: 'accepted', plan: choices[0] };
  if (isNo && choices.length > 0) return { kind: 'declined' };
  if (last.outcome === 'question') return { kind: 'answered', request: requestBefore(turns) };
  return { kind: 'new' };
}

function isAskedAbout(plan: Plan, { questions = [] }: Turn): boolean {
  const [missing] = missingInputs(plan);
  return missing !== undefined && questions[0] === missing.question;
}

/** What the questions at the end of these turns were about, with the answers given so far. */
function requestBefore(turns: readonly Turn[]): string {
  const said: string[] = [];
  for (let at = turns.length - 1; at > 0 && said.length < maxQuestionsBack; at -= 2) {
    const [user, assistant] = [turns[at - 1], turns[at]];
    const isQuestion = assistant?.outcome === 'question' && assistant.runId === undefined;
    if (!isQuestion || user?.role !== 'user') break;
    said.unshift(user.text);
  }
  return said.join('\n');
}
