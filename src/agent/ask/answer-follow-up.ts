import type { Turn as SessionTurn } from '../../contract/session/index.ts';
import { AppError, pluralize } from '../../kernel/index.ts';
import {
  findList,
  itemLine,
  placeOf,
  resultsOfRun,
  resultText,
  type ResultItem,
  type ResultList,
} from '../answer/index.ts';
import { readFollowUp, selectItems, type Filter, type FollowUp } from './read-follow-up.ts';
import { base, hideIn, plainReply, tell, type Reply, type Turn } from './turn.ts';

/** Lines of a list at once. */
const pageLines = 20;
const maxLines = 500;
const maxTextChars = 20_000;

/**
 * Answers "just the critical ones", "where exactly?" or "show all" from the results that were shown last,
 * without a plan and without a model; undefined for a message that is about something else.
 */
export async function answerFollowUp(turn: Turn, words = turn.words): Promise<Reply | undefined> {
  const shown = lastShown(turn.before.turns);
  if (!shown || turn.attachments.length > 0 || turn.request.planOnly) return undefined;
  const results = await loadResults(turn, shown.runId);
  const list = longestList(results);
  const diff = asksForDiff.test(words) ? diffOf(results) : '';
  if (diff !== '') return reply(turn, shown.runId, diff);
  const asked = readFollowUp(words, list);
  if (!asked || (shown.isPlanOpen && changesPlan(asked, list))) return undefined;
  const found =
    list.items.length > 0
      ? tellItems(list, [...shown.asked.flatMap((said) => readFollowUp(said, list) ?? []), asked])
      : tellTexts(results.map(resultText), asked);
  return found === undefined ? undefined : reply(turn, shown.runId, found);
}

async function reply(turn: Turn, runId: string, text: string): Promise<Reply> {
  const answer = await hideIn(text, turn);
  tell(turn, answer);
  const known = base(turn, { confidence: 1, model: null });
  return plainReply({ ...known, kind: 'answer', answer, runId });
}

/** What "that one" may mean: the entries that were talked about last, and what the tool calls them. */
export async function shownItems(turn: Turn): Promise<Pick<ResultList, 'items' | 'name'>> {
  const shown = lastShown(turn.before.turns);
  if (!shown) return noList;
  const list = longestList(await loadResults(turn, shown.runId));
  const asked = shown.asked.flatMap((said) => readFollowUp(said, list) ?? []);
  return { name: list.name, items: selectAll(list.items, asked).picked };
}

type Results = Awaited<ReturnType<typeof loadResults>>;

/** The longest list of findings with places, else the longest, with those of the same name in the other results. */
function longestList(results: Results): ResultList {
  const lists = results.map(({ output }) => findList(output));
  const weight = ({ items }: ResultList): number =>
    items.length + (items.some(({ path, severity }) => path ?? severity) ? maxLines * maxLines : 0);
  const best = lists.reduce((most, one) => (weight(one) > weight(most) ? one : most), noList);
  return lists.filter((one) => one !== best && one.name === best.name).reduce(joinLists, best);
}

function joinLists(one: ResultList, other: ResultList): ResultList {
  const counts: Record<string, number> = { ...one.counts };
  for (const [name, count] of Object.entries(other.counts ?? {}))
    counts[name] = (counts[name] ?? 0) + count;
  return {
    name: one.name,
    items: [...one.items, ...other.items],
    total: one.total + other.total,
    ...((one.counts ?? other.counts) && { counts }),
  };
}

const noList: ResultList = { name: '', items: [], total: 0 };

const asksForDiff =
  /^(?:(?:and|now|please|ok|then)[, ]+)*(?:show|see|print|display|let me see)(?: me)?(?: again)? (?:the|that|its) (?:diff|patch|changes)(?: again| please)*[\s.!?]*$/iu;

/** What a step would change and has not written: what is in the files, Git shows. */
function diffOf(results: Results): string {
  const outputs = results.map(({ output }): Readonly<Record<string, unknown>> => Object(output));
  if (outputs.some(({ change_id: id }) => id !== undefined)) return '';
  return outputs
    .flatMap(({ diff }) => (typeof diff === 'string' ? diff : []))
    .join('\n')
    .trimEnd();
}

/** With a plan open, "only src/api" is about the plan, and so is what fits nothing that was shown before it. */
function changesPlan(asked: FollowUp, { items }: ResultList): boolean {
  return (
    asked.filters.some(({ group }) => group === 'path') || selectItems(items, asked).length === 0
  );
}

interface Shown {
  readonly runId: string;
  /** What was asked about the results since. */
  readonly asked: readonly string[];
  /** A plan was shown after them. */
  readonly isPlanOpen: boolean;
}

/** The run whose results were shown last. A plan that was not run, a refusal or help after them shows no others; a question is to be answered. */
function lastShown(turns: readonly SessionTurn[]): Shown | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.outcome === 'question') return undefined;
  const shown = turns.findLast(({ role, runId }) => role === 'assistant' && runId !== undefined);
  if (shown?.outcome !== 'answer' || shown.runId === undefined) return undefined;
  const { runId } = shown;
  const first = turns.findIndex((turn) => turn.role === 'assistant' && turn.runId === runId);
  const asked = turns
    .slice(first + 1)
    .filter(({ role }, at, after) => role === 'user' && after[at + 1]?.runId === runId);
  return { runId, asked: asked.map(({ text }) => text), isPlanOpen: last.outcome === 'plan' };
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

/** What of a list is being talked about. */
interface Selection {
  /** What fits all that was said of the kind of entries. */
  readonly fitting: readonly ResultItem[];
  /** Of those, the ones at the positions that were said. */
  readonly picked: readonly ResultItem[];
  readonly filters: readonly Filter[];
  readonly from: number;
  readonly to: number;
}

/** Goes through all that was asked since, because "the rest" and "those in src" mean what was shown last. */
function tellItems(list: ResultList, asked: readonly FollowUp[]): string {
  const { items } = list;
  const last = asked.at(-1) ?? { show: 'list', filters: [], picks: [] };
  const now = select(selectAll(items, asked.slice(0, -1)), last, items);
  if (now.picked.length === 0) {
    const isFailed = last.filters.some(({ word }) => word === 'failed');
    const none = isFailed ? 'None failed.' : `None of the ${items.length} fits that.`;
    return `${none}${leftOut(list, now)}`;
  }
  if (last.show === 'count') return countText(list, now);
  if (last.show === 'files') return fileLines(now.picked);
  return pageText(list, now);
}

function selectAll(items: readonly ResultItem[], asked: readonly FollowUp[]): Selection {
  let now: Selection = { fitting: items, picked: items, filters: [], from: 0, to: pageLines };
  for (const one of asked) {
    const next = select(now, one, items);
    // What fits nothing is no longer talked about.
    if (next.picked.length > 0) now = next;
  }
  return now;
}

function select(
  { fitting, picked, filters, to }: Selection,
  { show, filters: more, picks }: FollowUp,
  items: readonly ResultItem[],
): Selection {
  const isMore = show === 'more' && more.length + picks.length === 0;
  if (isMore && picked.length < fitting.length) {
    // "and the other one?" after "the first one".
    const others = fitting.filter((item) => !picked.includes(item));
    return { fitting, picked: others, filters, from: 0, to: pageLines };
  }
  const start = isMore ? to : 0;
  const page = { from: start, to: show === 'all' ? maxLines : start + pageLines };
  if (show === 'all' || more.length > 0) {
    const within = selectItems(fitting, { filters: more, picks: [] });
    const isWithin = show !== 'all' && within.length > 0;
    const found = isWithin ? within : selectItems(items, { filters: more, picks: [] });
    const all = isWithin ? [...filters, ...more] : more;
    const chosen = selectItems(found, { filters: [], picks });
    return { fitting: found, picked: chosen, filters: all, ...page };
  }
  if (picks.length > 0) {
    const chosen = selectItems(fitting, { filters: [], picks });
    return { fitting, picked: chosen, filters, ...page };
  }
  // "how many are there?" after "the second one" asks about all of them.
  return { fitting, picked: show === 'count' ? fitting : picked, filters, ...page };
}

function pageText(list: ResultList, selection: Selection): string {
  const { picked, from, to } = selection;
  const page = picked.slice(from, to);
  if (page.length === 0) return `That was all: ${countText(list, selection)}`;
  const left = picked.length - from - page.length;
  const omitted = left > 0 ? '' : leftOut(list, selection).trim();
  return [
    ...(picked.length < list.items.length ? [`${picked.length} of ${list.total}:`] : []),
    ...page.map(itemLine),
    ...(left > 0 ? [`… ${left} more: say "more" or "show all".`] : []),
    ...(omitted === '' ? [] : [omitted]),
    ...(page.some((item) => placeOf(item) !== undefined) ? [] : ['The result does not say where.']),
  ].join('\n');
}

/** What a tool did not list cannot be shown from its result. */
function leftOut(list: ResultList, { fitting, picked, filters }: Selection): string {
  const omitted = picked.length < fitting.length ? 0 : totalOf(list, filters) - fitting.length;
  if (omitted <= 0) return '';
  const [are, them] = omitted === 1 ? ['is', 'it'] : ['are', 'them'];
  return ` ${omitted} more ${are} not listed in the result: ask for a smaller folder or a single file to see ${them}.`;
}

/** How many there are of what these filters leave, as far as the result says it. */
function totalOf({ counts, total }: ResultList, filters: readonly Filter[]): number {
  if (filters.length === 0) return total;
  if (filters.some(({ group }) => group !== 'severity')) return 0;
  const words = new Set(filters.map(({ word }) => word));
  return [...words].reduce((sum, word) => sum + (counts?.[word] ?? 0), 0);
}

function countText(list: ResultList, { picked: current, fitting, filters }: Selection): string {
  const { items, total } = list;
  const known = current === fitting ? totalOf(list, filters) : 0;
  const number = Math.max(known, current.length);
  const isListed = number === current.length;
  const counts = new Map(filters.length === 0 ? Object.entries(list.counts ?? {}) : []);
  if (counts.size === 0 && isListed) {
    for (const { severity } of current) {
      if (severity !== undefined) counts.set(severity, (counts.get(severity) ?? 0) + 1);
    }
  }
  const kinds = [...counts].map(([severity, count]) => `${count} ${severity}`).join(', ');
  const files = isListed ? filesOf(current).size : 0;
  return [
    current.length === items.length ? `${number}` : `${number} of ${total}`,
    files > 0 ? ` in ${pluralize(files, 'file')}` : '',
    kinds === '' ? '.' : `: ${kinds}.`,
    isListed ? '' : ` The result lists ${current.length} of them.`,
  ].join('');
}

function fileLines(items: readonly ResultItem[]): string {
  const files = [...filesOf(items)].map(([path, count]) => `${path}: ${count}`);
  return files.length === 0 ? 'The result does not say where.' : files.join('\n');
}

function filesOf(items: readonly ResultItem[]): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  for (const { path } of items) if (path !== undefined) files.set(path, (files.get(path) ?? 0) + 1);
  return files;
}

/** Results that are no list can only be shown whole. */
function tellTexts(texts: readonly string[], { show, filters }: FollowUp): string | undefined {
  if ((show !== 'all' && show !== 'more') || filters.length > 0) return undefined;
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text === '') return undefined;
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}…`;
}
