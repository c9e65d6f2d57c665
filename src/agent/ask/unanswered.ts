import type { Session, Turn } from '../../contract/session/index.ts';
import { readShortReply } from '../../kernel/index.ts';

/** Where a process died before it answered: the message, and the session as it was before it. */
export interface Unanswered {
  /** Undefined where only tries to continue have no answer. */
  readonly turn: Turn | undefined;
  readonly before: Session;
}

/** What "continue" goes on with after the last message got no answer. */
export function findUnanswered(session: Session): Unanswered | undefined {
  const { turns } = session;
  const start = turns.findLastIndex(({ role }) => role === 'assistant') + 1;
  if (start === turns.length) return undefined;
  const turn = turns.slice(start).findLast(({ text }) => readShortReply(text) !== 'continue');
  return { turn, before: { ...session, turns: turns.slice(0, (turn?.number ?? start + 1) - 1) } };
}

/** The request that a "yes", a number or "continue" belongs to; undefined where nothing was asked or shown. */
export function requestBehind({ turns }: Session): string | undefined {
  const isOpen = ({ role, outcome }: Turn): boolean =>
    role === 'user' || outcome === 'question' || outcome === 'plan';
  const start = turns.findLastIndex((turn) => !isOpen(turn)) + 1;
  return turns.slice(start).find(({ role }) => role === 'user')?.text;
}

/** The request that the last plan or result is about. */
export function lastRequest(session: Session): string | undefined {
  const { turns } = session;
  const last = turns.at(-1);
  if (last?.outcome === 'plan') return requestBehind(session);
  if (last?.outcome !== 'answer' || last.runId === undefined) return undefined;
  return requestBehind({ ...session, turns: turns.slice(0, -1) });
}
