import { answerFollowUp } from './answer-follow-up.ts';
import { carryOut, nothingRun, rejectPlan } from './carry-out.ts';
import { followToEnd } from './follow-to-end.ts';
import { timesAsked, type ReplyKind } from './read-reply.ts';
import { nameOthers, nameResults } from './name-results.ts';
import { replyAboutRun } from './reply-about-run.ts';
import { respondWithModel } from './respond-with-model.ts';
import { respondWithoutModel } from './respond-without-model.ts';
import { planSave } from './save-shown.ts';
import { base, guardRules, plainReply, tell, type Reply, type Turn } from './turn.ts';
import { splitPastes } from '../intent/index.ts';
import { createCapability, isOfferable, judgePlan, supplyInputs } from '../propose/index.ts';
import type { PlanCandidate, Proposal } from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import { AppError, readShortReply } from '../../kernel/index.ts';

/** What a message leads to, by what it is. */
export async function respond(turn: Turn, reply: ReplyKind): Promise<Reply> {
  const { parts, options, emit } = turn;
  const found = await parts.models.find('agent', options.client);
  const model = found?.name ?? null;
  switch (reply.kind) {
    case 'accepted':
      if (reply.firstOf !== undefined) {
        emit({ kind: 'notice', text: `Running the first of ${reply.firstOf} plans.` });
      }
      return runAccepted(turn, reply.plan, { model, isAccepted: true });
    case 'declined':
      await rejectPlan(turn, turn.before.turns.at(-1)?.plan);
      return nothingRun(turn, { confidence: 1, model: null });
    case 'supplied':
      return runSupplied(turn, reply.plan, model);
    case 'resumed':
      return resume(turn, reply.runId, model);
    case 'misfit':
      return askAgain(turn, reply, model);
    case 'new':
    case 'answered':
      break;
  }
  if (model === null) {
    if (reply.kind === 'new' && isStray(turn.words)) return answerStray(turn);
    const isAside = reply.kind === 'new' || reply.to === 'plan';
    const said = reply.kind === 'new' ? turn.words : splitPastes(turn.request.message).words;
    return isAside
      ? respondToAside(turn, said)
      : limitMisses(turn, await respondWithoutModel(turn));
  }
  try {
    return await respondWithModel(turn);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isModelFailure(error)) throw error;
    emit({
      kind: 'notice',
      text: `The model cannot be used (${error.message}); planning without it.`,
    });
    return respondWithoutModel(turn, { model: null, failure: error.message });
  }
}

/** About what was shown last, where it is; else a request of its own. */
async function respondToAside(turn: Turn, said: string): Promise<Reply> {
  const save = await planSave(turn, said);
  if (save) return runAccepted(turn, save, { model: null, isAccepted: false });
  const named = await nameResults(turn, said);
  const followUp = named === undefined ? await answerFollowUp(turn, said) : undefined;
  if (followUp) return followUp;
  const words = named ?? (await nameOthers(turn, said)) ?? turn.words;
  return limitMisses(turn, await respondWithoutModel({ ...turn, words }));
}

/** Yes or no, and nothing is open; "run it" and the like may still be requests. */
function isStray(words: string): boolean {
  const short = readShortReply(words);
  return (
    short !== undefined &&
    short !== 'continue' &&
    /^\p{L}{1,5}[.!]?$/u.test(words.trim()) &&
    !/^(?:run|do|go)\b/iu.test(words.trim())
  );
}

function answerStray(turn: Turn): Reply {
  const answer = 'There is nothing to answer. Say what you would like to have done.';
  tell(turn, answer);
  return plainReply({ ...base(turn, { confidence: 1, model: null }), kind: 'answer', answer });
}

/** A used-up budget is the user's word, and ends the turn. */
function isModelFailure(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.code.startsWith('models.') &&
    error.code !== 'models.budget_exceeded'
  );
}

/** A plan the user said yes to: it is held to the same rules again, because tools may have changed since. */
async function runAccepted(
  turn: Turn,
  plan: Plan,
  { model, isAccepted }: { readonly model: string | null; readonly isAccepted: boolean },
): Promise<Reply> {
  const { parts, request } = turn;
  const { isTrusted, settings } = parts;
  const named = new Set(plan.steps.map(({ tool }) => tool));
  const asked = (await parts.tools.entries()).filter(
    (entry) => named.has(entry.name) && isOfferable(entry),
  );
  const capability = createCapability({ offered: [], asked, isTrusted });
  const judged = await judgePlan(
    { workflows: parts.workflows, optimize: settings.optimizeChains },
    { plan, inputs: [], rules: { ...guardRules(turn), capability }, caller: request.caller },
  );
  if (judged.kind === 'refused') {
    const reason = `The plan cannot be run any more: ${judged.problems.join(' ')}`;
    return plainReply({ ...base(turn, { confidence: 1, model }), kind: 'refusal', reason });
  }
  const { plan: passed, isFree } = judged;
  // Only the planner makes plans that lack something.
  const madeBy = model === null || !isAccepted ? 'planner' : 'model';
  const proposal: Proposal = { plan: passed, confidence: 1, madeBy, others: [] };
  return carryOut(turn, { proposal, isFree, isAccepted, isTainted: !isAccepted, model });
}

/** A plan that lacked values: the files and pastes of this message, then its words, are these; it is shown before it runs. */
function runSupplied(turn: Turn, plan: Plan, model: string | null): Promise<Reply> {
  const { attachments, request } = turn;
  const values =
    attachments.length > 0 ? attachments.map(({ content }) => content) : [request.message];
  return runAccepted(turn, supplyInputs(plan, values), { model, isAccepted: false });
}

/** A run that waited for a person: told as it stands, once they have given what it waited for. */
async function resume(turn: Turn, runId: string, model: string | null): Promise<Reply> {
  const { parts, request } = turn;
  const shown = await parts.workflows.show(request.caller, runId);
  const isOver = ['succeeded', 'failed', 'cancelled'].includes(shown.status);
  const followed = { runId, plan: { version: 1 as const, steps: [] }, hasModel: false };
  const view = isOver ? shown : await followToEnd(turn, followed);
  return replyAboutRun(turn, { view, runId, model, confidence: 1 });
}

/** Unanswered repeats after which a question is dropped, so that a conversation cannot get stuck. */
const maxMisses = 2;

const beginAnew =
  'That is not clear to me, so the question is dropped. Say in one sentence what to do and with which file or folder, for example "review src/main.py". "/tools" lists what there is to use, "/help" the commands.';

/** Asks or shows once more what a short reply did not fit. */
function askAgain(
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
function limitMisses(turn: Turn, reply: Reply): Reply {
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
