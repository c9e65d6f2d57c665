import type { Turn as SessionTurn } from '../../contract/session/index.ts';
import { AppError, counted } from '../../kernel/index.ts';
import {
  findItems,
  itemLine,
  placeOf,
  resultsOfRun,
  resultText,
  type ResultItem,
} from '../answer/index.ts';
import { readFollowUp, selectItems, type FollowUp } from './read-follow-up.ts';
import { base, plainReply, tell, type Reply, type Turn } from './turn.ts';

/** Lines of a list at once. */
const pageLines = 20;
const maxLines = 500;
const maxTextChars = 20_000;

/**
 * Answers "just the critical ones", "where exactly?" or "show all" from the results that were shown last,
 * without a plan and without a model; undefined for a message that is about something else.
 */
export async function answerFollowUp(turn: Turn): Promise<Reply | undefined> {
  const shown = lastShown(turn.before.turns);
  if (!shown || turn.attachments.length > 0 || turn.request.planOnly) return undefined;
  const results = await loadResults(turn, shown.runId);
  const lists = results.map(({ output }) => findItems(output));
  const items = lists.reduce((most, list) => (list.length > most.length ? list : most), []);
  const asked = readFollowUp(turn.words, items);
  if (!asked) return undefined;
  const answer =
    items.length > 0
      ? tellItems(items, [...shown.asked.flatMap((said) => readFollowUp(said, items) ?? []), asked])
      : tellTexts(results.map(resultText), asked);
  if (answer === undefined) return undefined;
  tell(turn, answer);
  const known = base(turn, { confidence: 1, model: null });
  return plainReply({ ...known, kind: 'answer', answer, runId: shown.runId });
}

/** The run whose results the last answers were about, and what was asked about them since. */
function lastShown(
  turns: readonly SessionTurn[],
): { readonly runId: string; readonly asked: readonly string[] } | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.outcome !== 'answer' || last.runId === undefined) {
    return undefined;
  }
  const { runId } = last;
  const first = turns.findIndex((turn) => turn.role === 'assistant' && turn.runId === runId);
  const asked = turns.slice(first + 1).filter(({ role }) => role === 'user');
  return { runId, asked: asked.map(({ text }) => text) };
}

async function loadResults({ parts, request }: Turn, runId: string) {
  const { caller } = request;
  try {
    const view = await parts.workflows.show(caller, runId);
    return await resultsOfRun(view, await parts.artifacts(), caller);
  } catch (error) {
    // Runs are kept for a while; then there is nothing left to ask about.
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Goes through all that was asked since, because "the rest" and "those in src" mean what was shown last. */
function tellItems(items: readonly ResultItem[], asked: readonly FollowUp[]): string {
  let current = items;
  let from = 0;
  let to = pageLines;
  for (const { show, filters, pick } of asked) {
    const isNarrower = filters.length > 0 || pick !== undefined;
    const within = selectItems(current, { filters, ...(pick && { pick }) });
    const basis = show === 'all' || within.length === 0 ? items : current;
    if (isNarrower || show === 'all') {
      current = selectItems(basis, { filters, ...(pick && { pick }) });
    }
    from = show === 'more' && !isNarrower ? to : 0;
    to = show === 'all' ? maxLines : from + pageLines;
  }
  const last = asked.at(-1);
  if (last?.show === 'count') return countText(current, items);
  const page = current.slice(from, to);
  if (current.length === 0) return `None of the ${items.length} fits that.`;
  if (page.length === 0) return `That was all: ${countText(current, items)}`;
  const left = current.length - from - page.length;
  const isPart = current.length < items.length;
  return [
    ...(isPart ? [`${current.length} of ${items.length}:`] : []),
    ...page.map(itemLine),
    ...(left > 0 ? [`… ${left} more: say "more" or "show all".`] : []),
    ...(page.some((item) => placeOf(item) !== undefined) ? [] : ['The result does not say where.']),
  ].join('\n');
}

function countText(current: readonly ResultItem[], items: readonly ResultItem[]): string {
  const counts = new Map<string, number>();
  for (const { severity } of current) {
    if (severity !== undefined) counts.set(severity, (counts.get(severity) ?? 0) + 1);
  }
  const kinds = [...counts].map(([severity, count]) => `${count} ${severity}`).join(', ');
  const files = new Set(current.flatMap(({ path }) => path ?? [])).size;
  const number =
    current.length === items.length ? `${items.length}` : `${current.length} of ${items.length}`;
  return `${number}${files > 0 ? ` in ${counted(files, 'file')}` : ''}${kinds === '' ? '' : `: ${kinds}`}.`;
}

/** Results that are no list can only be shown whole. */
function tellTexts(texts: readonly string[], { show, filters }: FollowUp): string | undefined {
  if ((show !== 'all' && show !== 'more') || filters.length > 0) return undefined;
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text === '') return undefined;
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}…`;
}
