import type { PlanCandidate } from '../../contract/agent/index.ts';
import { timesAsked, type ReplyKind } from './read-reply.ts';
import { base, plainReply, type Reply, type Turn } from './turn.ts';

/** A question that was not answered this often is dropped, so that nobody is caught in it. */
const maxMisses = 2;

const beginAnew =
  'That is not clear to me, so the question is dropped. Say in one sentence what to do and with which file or folder, for example "review src/main.py". "/tools" lists what there is to use, "/help" the commands.';

/** Asks or shows once more what a short reply did not fit. */
export function askAgain(
  turn: Turn,
  { open, why }: Extract<ReplyKind, { kind: 'misfit' }>,
  model: string | null,
): Reply {
  turn.emit({ kind: 'notice', text: why });
  const known = base(turn, { confidence: 0, model });
  const { plan, alternatives = [], questions = [], text: preview } = open;
  const candidates = [...(plan ? [plan] : []), ...alternatives].map((one): PlanCandidate => ({
    plan: one,
    why: '',
    confidence: 0,
  }));
  return plan
    ? plainReply({ ...known, kind: 'plan', plan, candidates, preview, madeBy: 'planner' })
    : limitMisses(turn, plainReply({ ...known, kind: 'question', questions, candidates }));
}

/** The second time that the same question got no answer it says how to begin anew instead. */
export function limitMisses(turn: Turn, reply: Reply): Reply {
  const { outcome } = reply;
  if (outcome.kind !== 'question' || outcome.runId !== undefined) return reply;
  const misses = timesAsked(turn.before, outcome.questions[0] ?? '');
  if (misses >= maxMisses) {
    const known = base(turn, { confidence: 0, model: outcome.model });
    return plainReply({ ...known, kind: 'refusal', reason: beginAnew });
  }
  if (misses > 0) {
    const text = 'That does not answer the question. Say "no" to drop it, or something else.';
    turn.emit({ kind: 'notice', text });
  }
  return reply;
}
