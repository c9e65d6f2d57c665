import type { ReplyKind } from './read-reply.ts';
import { latestRemembered } from './latest-remembered.ts';
import { isOfferable } from '../propose/index.ts';
import type { PlanningAnswer } from '../planner/index.ts';
import type { Turn } from './turn.ts';

/**
 * Decides whether words after a question or a preview belong to it. A message that can be planned by itself is
 * a new request; a path, a value or a few words that cannot are the answer. With a model a change to a plan
 * that was shown is read by the model, which sees the conversation.
 */
export async function settleReply(
  turn: Turn,
  reply: ReplyKind,
  hasModel: boolean,
): Promise<ReplyKind> {
  if (reply.kind !== 'answered' && reply.kind !== 'supplied') return reply;
  const isReadByModel = reply.kind === 'answered' && reply.to === 'plan' && hasModel;
  if (isReadByModel || (reply.kind === 'answered' && reply.request === '')) return isNew;
  if (isValue(turn.words) || turn.attachments.length > 0) return reply;
  const planned = await planAlone(turn);
  const isSure = planned.kind === 'plan' && planned.candidates.length === 1;
  // Any words can be the value of an input: only what is clearly a request is taken for one.
  const standsAlone = reply.kind === 'supplied' ? isSure : isRequest(planned.kind);
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

/** Everything but "say more" and "no tool is for that". */
function isRequest(kind: string): boolean {
  return kind !== 'question' && kind !== 'refusal';
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
