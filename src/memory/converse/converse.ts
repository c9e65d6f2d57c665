import type {
  Conversation,
  ConversationRequest,
  Remembered,
  Session,
  Turn,
} from '../../contract/session/index.ts';
import type { createRecall } from './recall.ts';
import { type CountTokens, TokenBudget, withoutContents } from './token-budget.ts';
import type { createSummarizer } from './summarize-turns.ts';

interface ConverseParts {
  readonly countTokens: CountTokens;
  readonly recall: ReturnType<typeof createRecall>;
  readonly summarize: ReturnType<typeof createSummarizer>;
}

/** The most each part takes of the whole; what one leaves is for those after it, the latest turns last. */
const shares = { preferences: 0.1, summary: 0.2, recalled: 0.25, remembered: 0.3 } as const;
/** Of the summary, for what a model wrote; the rest is for what it left out. */
const shareOfModel = 0.5;
/** One long turn, or one long file, must not push out all others. */
const maxShareOfOne = 0.6;

/**
 * What goes before a model of a conversation: never more than `maxTokens`, whatever is in it. A message
 * that is the last turn already is left out, because it goes to the model by itself.
 */
export async function converse(
  request: ConversationRequest,
  liked: readonly string[],
  { countTokens, recall, summarize }: ConverseParts,
): Promise<Conversation> {
  const { session, message, maxTurns, signal } = request;
  const budget = new TokenBudget(request.maxTokens, countTokens);
  const share = (part: keyof typeof shares): number => Math.floor(budget.max * shares[part]);
  const turns = turnsBefore(session, message);
  const recentCount = Math.max(0, Math.floor(maxTurns));
  const older = recentCount === 0 ? turns : turns.slice(0, -recentCount);
  const latest = turns.slice(older.length);

  const preferences = fillTexts(liked, budget, share('preferences'));
  const found = await recall(older, message, signal);
  const recalled = fillRecalled(found, budget, share('recalled'));
  const summary = fillSummary(session, older, { budget, limit: share('summary'), summarize });
  const kept = latestRemembered(turns);
  const forKept = Math.min(
    share('remembered'),
    sum(kept, (one) => budget.costOf(one)),
  );
  const recent = fillRecent(latest, budget, budget.left - forKept);
  const remembered = fillRemembered(kept, budget);
  return {
    preferences,
    summary,
    recalled,
    recent,
    remembered,
    tokens: budget.used,
  };
}

function turnsBefore({ turns }: Session, message: string): readonly Turn[] {
  const last = turns.at(-1);
  return last?.role === 'user' && last.text === message ? turns.slice(0, -1) : turns;
}

function fillTexts(texts: readonly string[], budget: TokenBudget, limit: number): string[] {
  const before = budget.used;
  return texts.filter((text) => budget.take(text, limit - (budget.used - before)));
}

function fillRecalled(
  found: Awaited<ReturnType<ConverseParts['recall']>>,
  budget: TokenBudget,
  limit: number,
): Turn[] {
  const before = budget.used;
  const turns: Turn[] = [];
  for (const { turn, passage } of found) {
    const left = limit - (budget.used - before);
    const whole = withoutContents(turn);
    // Where not all of a turn fits, the part of it that is asked about.
    if (budget.take(whole, left / 2)) turns.push(whole);
    else {
      const part = budget.takeCut({ text: passage, make: (text) => ({ ...whole, text }) }, left);
      if (part) turns.push(part);
    }
  }
  return turns.sort((a, b) => a.number - b.number);
}

interface SummaryParts extends Pick<ConverseParts, 'summarize'> {
  readonly budget: TokenBudget;
  readonly limit: number;
}

/**
 * What a model made of the older turns, then their key sentences that it lacks: what a model leaves out is not
 * lost. Null where there is nothing to tell.
 */
function fillSummary(
  { summary }: Session,
  older: readonly Turn[],
  { budget, limit, summarize }: SummaryParts,
): string | null {
  const most = Math.min(limit, budget.left);
  const text = older.length > 0 && summary !== null ? summary.text : '';
  const made = budget.cut({ text, make: asItIs }, Math.floor(most * shareOfModel)) ?? '';
  const left = most - (made === '' ? 0 : budget.costOf(made)) - tokensAround;
  const lines = summarize(older, { maxTokens: left, known: made });
  const whole = [made, ...lines].filter((part) => part !== '').join('\n');
  return whole === '' ? null : (budget.takeCut({ text: whole, make: asItIs }, most) ?? null);
}

/** Counted of a whole text may be a little more than of its parts. */
const tokensAround = 8;

const asItIs = (text: string): string => text;

function fillRecent(latest: readonly Turn[], budget: TokenBudget, limit: number): Turn[] {
  const before = budget.used;
  const turns: Turn[] = [];
  for (const turn of latest.toReversed()) {
    const left = limit - (budget.used - before);
    const whole = withoutContents(turn);
    const isLast = turn === latest[0];
    const most = isLast ? left : left * maxShareOfOne;
    const piece = budget.takeCut(
      { text: turn.text, make: (text) => ({ ...whole, text }) },
      Math.floor(most),
    );
    // A conversation with a hole in it misleads.
    if (!piece) break;
    turns.push(piece);
  }
  return turns.toReversed();
}

function fillRemembered(kept: readonly Remembered[], budget: TokenBudget): Remembered[] {
  return kept.flatMap((one, index) => {
    const isLast = index === kept.length - 1;
    const most = Math.floor(isLast ? budget.left : budget.left * maxShareOfOne);
    const { content, ...rest } = one;
    const piece =
      content === undefined
        ? budget.take(rest, most) && rest
        : budget.takeCut({ text: content, make: (cut) => ({ ...rest, content: cut }) }, most);
    return piece ? [piece] : [];
  });
}

function latestRemembered(turns: readonly Turn[]): Remembered[] {
  const latest = new Map<Remembered['kind'], Remembered>();
  for (const turn of turns.toReversed()) {
    for (const one of turn.remembered.toReversed()) {
      if (!latest.has(one.kind)) latest.set(one.kind, one);
    }
  }
  return [...latest.values()];
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
