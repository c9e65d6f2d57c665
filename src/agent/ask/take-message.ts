import { offeredSteps, sameVerbs } from '../answer/index.ts';
import { attachmentsOf } from './kept-texts.ts';
import { readReply, type ReplyKind } from './read-reply.ts';
import { respond } from './respond.ts';
import { readSave } from './save-shown.ts';
import { base, latestRemembered, plainReply, tell, type Reply, type Turn } from './turn.ts';
import { findUnanswered, lastRequest, requestBehind } from './unanswered.ts';
import { splitPastes } from '../intent/index.ts';
import { replyToTask } from '../loop/index.ts';
import type { PlanningAnswer } from '../planner/index.ts';
import { isOfferable } from '../propose/index.ts';
import type { Session } from '../../contract/session/index.ts';
import { readChoice, readShortReply } from '../../kernel/index.ts';

/** Finds out what a message is about (an unfinished task, what was asked or shown last, something new) and responds. */
export async function takeMessage(
  turn: Turn,
  { isCorrection }: { readonly isCorrection: boolean },
): Promise<Reply> {
  const said = readShortReply(turn.words);
  const ofTask = await replyToTask(turn, said);
  if (ofTask) return ofTask;
  const offer = turn.attachments.length > 0 ? undefined : readOffer(turn.words, turn.before);
  if (offer?.kind === 'unclear') return askWhich(turn, offer.among);
  if (offer) return respond({ ...turn, words: offer.say }, { kind: 'new' });
  const open = said === 'continue' ? await reopen(turn) : turn;
  const model = await turn.parts.models.find('agent', turn.options.client);
  // What is to be different is a preference by now: the same request once more follows it.
  const again = isCorrection && model === null ? lastRequest(turn.before) : undefined;
  if (again !== undefined) return respond({ ...turn, words: again }, { kind: 'new' });
  const read = readReply(open.words, open.before, model !== null);
  const reply = await settleReply(open, read, model !== null);
  return respond({ ...open, words: wordsBehind(open, reply) }, reply);
}

function askWhich(turn: Turn, among: readonly string[]): Reply {
  const answer = `Which one? Say ${among.map((say) => `"${say}"`).join(' or ')}.`;
  tell(turn, answer);
  return plainReply({ ...base(turn, { confidence: 1, model: null }), kind: 'answer', answer });
}

/** After a message that got no answer because the process died, "continue" is that message once more. */
async function reopen(turn: Turn): Promise<Turn> {
  const found = findUnanswered(turn.before);
  if (!found) return turn;
  const { before, turn: message } = found;
  if (!message) return { ...turn, before };
  const words = splitPastes(message.text).words;
  return { ...turn, before, words, attachments: await attachmentsOf(message, turn) };
}

/** What the user wants, where the message itself only answers what was asked about it. */
function wordsBehind({ words, before }: Turn, reply: ReplyKind): string {
  switch (reply.kind) {
    case 'answered':
      return withAnswer(splitPastes(reply.request).words, words, before.turns.at(-1)?.questions);
    case 'accepted':
    case 'supplied':
    case 'resumed':
      return splitPastes(requestBehind(before) ?? words).words;
    case 'new':
    case 'declined':
    case 'misfit':
      return words;
  }
}

/** A path stands for the name that was asked about; anything else goes on with the request. */
function withAnswer(request: string, answer: string, questions: readonly string[] = []): string {
  const asked = questions.flatMap((one) => /"([^"\n]+)"/u.exec(one)?.[1] ?? [])[0];
  const isPath = /^\S*[./]\S*\w$/u.test(answer.trim());
  if (!isPath || asked === undefined || !request.includes(asked)) return `${request}\n${answer}`;
  return request.replace(asked, () => answer.trim());
}

/** What "do it" means after an answer that says what could be said next. */
type Offer =
  | { readonly kind: 'taken'; readonly say: string }
  /** Yes to several at once. */
  | { readonly kind: 'unclear'; readonly among: readonly string[] };

const politeness = /\b(?:please|now|then|ok|okay|yes|the|changes?|it|that|this)\b/gi;

/** Reads a message as yes to what the last answer offered: "go ahead", "apply", "2"; undefined for any other. */
function readOffer(words: string, { turns }: Session): Offer | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.outcome !== 'answer') return undefined;
  const among = offeredSteps(last.text);
  const [first] = among;
  if (first === undefined) return undefined;
  const verb = words
    .replaceAll(politeness, '')
    .replaceAll(/[\s.,!]+/g, '')
    .toLowerCase();
  const named = among.find((say) => say.split(' ', 1)[0] === (sameVerbs.get(verb) ?? verb));
  const chosen = named ?? among[(readChoice(words) ?? 0) - 1];
  if (chosen !== undefined) return { kind: 'taken', say: chosen };
  if (readShortReply(words) !== 'yes') return undefined;
  return among.length === 1 ? { kind: 'taken', say: first } : { kind: 'unclear', among };
}

/**
 * Decides whether words after a question or a preview belong to it. A message that can be planned by itself is
 * a new request; a path, a value or a few words that cannot are the answer. With a model a change to a plan
 * that was shown is read by the model, which sees the conversation.
 */
async function settleReply(turn: Turn, reply: ReplyKind, hasModel: boolean): Promise<ReplyKind> {
  if (reply.kind !== 'answered' && reply.kind !== 'supplied') return reply;
  const isReadByModel = reply.kind === 'answered' && reply.to === 'plan' && hasModel;
  if (isReadByModel || (reply.kind === 'answered' && reply.request === '')) return isNew;
  if (/^\W*help\W*$|^\s*\?+\s*$/iu.test(turn.words)) return isNew;
  if (readSave(turn.words)) return isNew;
  if (isValue(turn.words) || turn.attachments.length > 0) return reply;
  const planned = await planAlone(turn);
  const isSure = planned.kind === 'plan' && planned.candidates.length === 1;
  // Any words can be the value of an input: only what is clearly a request is taken for one.
  const standsAlone = reply.kind === 'supplied' ? isSure : isRequest(planned);
  return standsAlone ? isNew : reply;
}

async function planAlone({ parts, before, words, options }: Turn): Promise<PlanningAnswer> {
  const planner = await parts.planner();
  return planner.plan({
    message: words,
    tools: (await parts.tools.entries()).filter(isOfferable),
    attachments: [],
    remembered: latestRemembered(before),
    history: [],
    files: parts.files,
    isOwn: parts.isTrusted,
    maxSteps: parts.settings.maxSteps,
    signal: options.signal,
  });
}

const isNew: ReplyKind = { kind: 'new' };

/** Everything but "say more" and "no tool is for that", unless something helps instead. */
function isRequest(planned: PlanningAnswer): boolean {
  if (planned.kind === 'refusal') return (planned.offers ?? []).length > 0;
  return planned.kind !== 'question';
}

/** One word, something quoted, or words that only go on with a sentence: `in src`, `only the tests`. */
function isValue(words: string): boolean {
  const said = words.trim();
  const isQuoted = /^(["'`]).*\1$/s.test(said);
  const goesOn =
    /^(?:in|for|with|from|to|at|on|of|only|just|but|and|or|not|without|the|a|an|my|all|both|using|as|like|it|its|that|this|instead)\b/i;
  return (
    isQuoted || !/\s/.test(said) || (goesOn.test(said) && said.split(/\s+/).length <= maxValueWords)
  );
}

const maxValueWords = 5;
