import type { Caller } from '../../contract/caller/index.ts';
import type {
  MemoryFound,
  MemoryItem,
  MemoryQuery,
  MemoryReceipt,
} from '../../contract/memory/index.ts';
import {
  type Clock,
  countTokens,
  lazy,
  type Log,
  orAborted,
  reportError,
} from '../../kernel/index.ts';
import { wordsOf } from '../converse/words.ts';
import { describeOrigin } from '../items/describe-origin.ts';
import type { EmbedTexts } from '../items/fill-backlog.ts';
import type { MemoryItemStore, ScoredItem } from '../items/memory-item-store.ts';
import {
  adjust,
  diversify,
  type Fit,
  fuse,
  neighbourRadius,
  parseSpeaker,
  smooth,
} from './rank-items.ts';
import { asSpeaker, readQuery, type ReadQuery } from './read-query.ts';
import { hasEnded, isOf, isWanted, turnKey } from './wanted-items.ts';

/** What the ranking goes by: all of it, but in the ablation of `bench/memory`. */
export interface RankingParts {
  readonly words: boolean;
  readonly meaning: boolean;
  readonly neighbours: boolean;
  readonly rerank: boolean;
}

export interface MemorySearchOptions {
  readonly store: Pick<
    MemoryItemStore,
    'get' | 'list' | 'pinned' | 'byWords' | 'byVector' | 'neighbours'
  >;
  /** Vectors of length 1. Without it words alone decide. */
  readonly embed?: EmbedTexts | undefined;
  /** How long `embed` is waited for. */
  readonly embedPatienceMs?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The project that is asked in; what belongs to others counts less. */
  readonly place?: (() => Promise<string>) | undefined;
  readonly parts?: RankingParts;
}

/** Loading the model takes a second, or several on a busy machine. */
const usualPatienceMs = 5_000;
/** Matches that each of words and meaning contributes; each takes time to look up. */
const maxMatches = 100;
/** Texts that have nothing to do with each other are as close as this. */
const minLikeness = 0.1;
/** Matches whose neighbours are looked at. */
const maxSeeds = 60;
/** So many more than matches are read and ranked in the end; more where more are asked for. */
const maxNeighboursRead = 40;
const readPerWanted = 4;
/** The best by words, which are ranked whatever is near in meaning. */
const minByWords = 20;
/** Words that more items share tell none of them from the others. */
const maxSharing = 3;
/** Latest turns that tell who takes part in the conversations. */
const turnsForSpeakers = 100;
const maxLimit = 100;
/** Pinned items that a search looks at, the latest. */
const maxPinned = 50;
/** Texts about different subjects are rarely as close as this. */
const pinnedLikeness = 0.25;
/** Of a pinned item that no list of matches had. */
const noFit: Fit = { score: 0, likeness: null };
const allParts: RankingParts = { words: true, meaning: true, neighbours: true, rerank: true };

/** Finds the items that a question asks about: by words, meaning, and what was said around them. */
export function createMemorySearch(options: MemorySearchOptions) {
  return async (query: MemoryQuery): Promise<MemoryFound> => {
    const { caller, filter = {}, signal } = query;
    const limit = Math.min(query.limit, maxLimit);
    const nowMs = options.clock.now();
    const { store, parts = allParts } = options;
    signal.throwIfAborted();
    const read = readQuery(query.text, nowMs);
    const within = { filter, limit: matchesFor(read) };
    const matchWords = lazy(async () =>
      parts.words ? store.byWords(caller, read.words, within) : [],
    );
    const speakers = await findSpeakers(options, { caller, read, matchWords });
    // The vector of the question is computed in another thread meanwhile.
    const [byVector, byWords] = await Promise.all([
      parts.meaning
        ? matchMeaning(
            options,
            { ...query, filter, limit: within.limit },
            asSpeaker(query.text, speakers),
          )
        : [],
      matchWords(),
    ]);
    signal.throwIfAborted();
    const fits = fuse(byWords, byVector);
    const all = parts.neighbours ? smooth(fits, await neighboursOf(store, caller, fits)) : fits;
    const ranked = await rank({ options, query, read, fits: all, byWords, nowMs });
    const hasWords = wordsFit(ranked, read);
    const ordered = parts.rerank ? pinnedFirst(exactFirst(ranked, hasWords), read) : ranked;
    const hits = withinBudget(diversify(ordered, limit), query.tokenBudget);
    const matched = ranked.filter(({ fit }) => fit !== noFit);
    const isSure =
      hits.some((hit) => hasWords(hit) !== 'no') ||
      confidence({ ranked: matched, byVector, read, speakers }) >= minConfidence;
    return {
      hits: hits.map(({ item, score, fit, isSuperseded }) => ({
        item,
        score,
        receipt: receiptOf({ item, fit, isSuperseded, read, nowMs }),
      })),
      isAnswerable: hits.length > 0 && (byVector.length === 0 || isSure),
    };
  };
}

/** What was said at the time that is asked for may match less well than much that was said at others. */
function matchesFor(read: ReadQuery): number {
  return read.times.length > 0 ? maxMatches * 2 : maxMatches;
}

/** Names of the question that begin turns, in small letters: "Anna" in "Anna: …". */
async function findSpeakers(
  { store }: MemorySearchOptions,
  found: {
    readonly caller: Caller;
    readonly read: ReadQuery;
    readonly matchWords: () => Promise<readonly ScoredItem[]>;
  },
): Promise<ReadonlySet<string>> {
  const { caller, read, matchWords } = found;
  if (read.names.size === 0) return new Set();
  const latest = await store.list(caller, { kinds: ['turn'] }, { limit: turnsForSpeakers });
  const known = speakersOf(latest);
  if (read.names.isSubsetOf(known)) return read.names;
  const ids = (await matchWords()).slice(0, turnsForSpeakers).map(({ id }) => id);
  return read.names.intersection(known.union(speakersOf(await store.get(caller, ids))));
}

function speakersOf(items: readonly MemoryItem[]): Set<string> {
  return new Set(items.flatMap(({ text }) => parseSpeaker(text).speaker?.toLowerCase() ?? []));
}

async function matchMeaning(
  { store, embed, embedPatienceMs = usualPatienceMs, log }: MemorySearchOptions,
  { caller, filter = {}, limit, signal }: MemoryQuery,
  text: string,
): Promise<readonly ScoredItem[]> {
  if (!embed) return [];
  const within = AbortSignal.any([signal, AbortSignal.timeout(embedPatienceMs)]);
  try {
    // The embedder may be busy and notice much later that the time is up.
    const [vector] = await orAborted(embed([text], within), within);
    if (!vector) return [];
    const near = await store.byVector(caller, vector, { filter, limit });
    return near.filter(({ score }) => score >= minLikeness);
  } catch (error) {
    signal.throwIfAborted();
    log.debug('semantic search failed', { error: reportError(error) });
    return [];
  }
}

function neighboursOf(
  store: MemorySearchOptions['store'],
  caller: Caller,
  fits: ReadonlyMap<string, Fit>,
) {
  return store.neighbours(caller, bestOf(fits, maxSeeds), neighbourRadius);
}

function bestOf(fits: ReadonlyMap<string, Fit>, count: number): string[] {
  return [...fits]
    .sort(([, a], [, b]) => b.score - a.score)
    .slice(0, count)
    .map(([id]) => id);
}

/** An item in the order of the answer. */
interface Ranked {
  readonly item: MemoryItem;
  readonly score: number;
  readonly fit: Fit;
  readonly isSuperseded: boolean;
  readonly isElsewhere: boolean;
}

async function rank({
  options,
  query,
  read,
  fits,
  byWords,
  nowMs,
}: {
  readonly options: MemorySearchOptions;
  readonly query: MemoryQuery;
  readonly read: ReadQuery;
  readonly fits: ReadonlyMap<string, Fit>;
  readonly byWords: readonly ScoredItem[];
  readonly nowMs: number;
}): Promise<Ranked[]> {
  const { store, parts = allParts } = options;
  const { caller, filter = {}, limit } = query;
  const best = bestOf(fits, Math.max(matchesFor(read) + maxNeighboursRead, limit * readPerWanted));
  // Those without a vector yet have half a score at most.
  const exact = byWords.slice(0, minByWords).map(({ id }) => id);
  const ids = [...new Set([...best, ...exact])];
  const found = await store.get(caller, ids);
  const pinned = parts.rerank ? await store.pinned(caller, maxPinned) : [];
  const items = [...found, ...pinned.filter(({ id }) => !ids.includes(id))];
  const here = await options.place?.();
  const outdatedTurns = new Set(
    items.filter((item) => hasEnded(item, nowMs)).flatMap(({ source }) => turnKey(source) ?? []),
  );
  const ranked = items.flatMap((item): Ranked[] => {
    const fit = fits.get(item.id) ?? (item.pinned ? noFit : undefined);
    const isHistory = hasEnded(item, nowMs);
    // Turns are what was said; other items claim to hold.
    const isHidden = parts.rerank && isHistory && !read.isAboutPast && filter.validAt === undefined;
    if (!fit || isHidden || !isWanted(item, filter)) return [];
    const key = turnKey(item.source);
    const isNewFact = item.kind !== 'turn' && !isHistory;
    const isSuperseded = isHistory || (!isNewFact && key !== undefined && outdatedTurns.has(key));
    const told = { item, score: fit.score, isSuperseded, isElsewhere: !isOf(item, here) };
    const score = parts.rerank ? adjust(told, read) : fit.score;
    return [{ item, score, fit, isSuperseded, isElsewhere: told.isElsewhere }];
  });
  return ranked.sort((a, b) => b.score - a.score);
}

/** What is pinned, holds in this project and matches by itself comes before all others; what does not match is left out. */
function pinnedFirst(ranked: readonly Ranked[], read: ReadQuery): readonly Ranked[] {
  const isFirst = ({ item, fit, isSuperseded, isElsewhere }: Ranked): boolean =>
    item.pinned &&
    !isSuperseded &&
    !isElsewhere &&
    (sharedWords(item, read).length > 0 || (fit.likeness ?? 0) >= pinnedLikeness);
  return raise(ranked, isFirst).filter((one) => isFirst(one) || one.fit !== noFit);
}

/** What was given to be remembered in the very words that are asked for, whether or not it has a vector yet. */
function exactFirst(ranked: readonly Ranked[], hasWords: WordsFit): readonly Ranked[] {
  return raise(ranked, (one) => {
    const words = hasWords(one);
    const isExact = words === 'all' || (words === 'most' && one.fit.likeness === null);
    return isExact && !one.isElsewhere;
  });
}

function raise(ranked: readonly Ranked[], isFirst: (one: Ranked) => boolean): readonly Ranked[] {
  const best = ranked[0]?.score ?? 0;
  const first = ranked.filter(isFirst).map((one) => ({ ...one, score: one.score + best }));
  return [...first, ...ranked.filter((one) => !isFirst(one))];
}

type WordsFit = (one: Ranked) => 'all' | 'most' | 'no';

/**
 * Whether an item that was given to be remembered answers by its words: it has all of them, or half of them with all
 * names and a rare one that is no name. Turns share words with much that does not answer.
 */
function wordsFit(ranked: readonly Ranked[], read: ReadQuery): WordsFit {
  const holders = new Map<string, number>();
  for (const { item } of ranked) {
    if (item.kind === 'turn') continue;
    for (const word of sharedWords(item, read)) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  const isRare = (word: string): boolean => (holders.get(word) ?? 0) <= maxSharing;
  return ({ item, isSuperseded }) => {
    const shared = item.kind === 'turn' || isSuperseded ? [] : sharedWords(item, read);
    if (!shared.some(isRare) || !read.names.isSubsetOf(new Set(shared))) return 'no';
    if (shared.length === read.words.length) return 'all';
    const isAbout = shared.some((word) => isRare(word) && !read.names.has(word));
    return isAbout && shared.length * 2 >= read.words.length ? 'most' : 'no';
  };
}

/** The best that fit; one that is too long does not keep shorter ones out. */
function withinBudget(hits: readonly Ranked[], tokenBudget: number | undefined): readonly Ranked[] {
  if (tokenBudget === undefined) return hits;
  let left = tokenBudget;
  return hits.filter(({ item }) => {
    const tokens = countTokens(item.text);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

const weights = { nearer: 8.3, ahead: 0.8, missingName: -2.1 };
/** Items that are as near as any other: from here to here in the order of likeness. */
const typicalFrom = 20;
const typicalTo = 100;
/** Items that are looked at for an answer, and the one they are compared with. */
const answers = 3;
const comparedWith = 5;

/**
 * Below this nothing that was found seems to answer.
 *
 * Calibrated on the tuning half of `bench/memory`, so that 92 % of its unanswerable questions are below. The vectors
 * of a small model do not tell what answers a question from what is about the same subject (area under the curve
 * 0.78): about half of the questions that have an answer are below, too. So it is a doubt, and hits are returned all the same.
 */
const minConfidence = 3.08;

/** Grows with how far the best stand out among all, and shrinks when the question names what none of them does. */
function confidence({
  ranked,
  byVector,
  read,
  speakers,
}: {
  readonly ranked: readonly Ranked[];
  readonly byVector: readonly ScoredItem[];
  readonly read: ReadQuery;
  readonly speakers: ReadonlySet<string>;
}): number {
  const best = ranked.slice(0, answers);
  const typical = byVector.slice(typicalFrom, typicalTo);
  const usual = typical.reduce((sum, { score }) => sum + score, 0) / Math.max(1, typical.length);
  const nearer = (byVector[0]?.score ?? 0) - usual;
  const ahead = (ranked[0]?.score ?? 0) - (ranked[comparedWith]?.score ?? 0);
  const words = new Set(best.flatMap(({ item }) => wordsOf(item.text)));
  const isNameMissing = [...read.names.difference(speakers)].some((name) =>
    wordsOf(name).some((word) => !words.has(word)),
  );
  return (
    nearer * weights.nearer + ahead * weights.ahead + (isNameMissing ? weights.missingName : 0)
  );
}

const dayMs = 86_400_000;

/** Words of the query that an item has. */
function sharedWords({ text }: MemoryItem, read: ReadQuery): readonly string[] {
  const own = new Set(wordsOf(text));
  return read.words.filter((word) => wordsOf(word).some((form) => own.has(form)));
}

/** Why an item was found, for programs and as a sentence. */
function receiptOf({
  item,
  fit,
  isSuperseded,
  read,
  nowMs,
}: {
  readonly item: MemoryItem;
  readonly fit: Fit;
  readonly isSuperseded: boolean;
  readonly read: ReadQuery;
  readonly nowMs: number;
}): MemoryReceipt {
  const words = sharedWords(item, read);
  const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(item.observedAt)) / dayMs));
  const { likeness } = fit;
  const reasons = [
    ...(words.length > 0 ? [`shares ${words.map((word) => `"${word}"`).join(', ')}`] : []),
    ...(likeness === null ? [] : [`likeness ${likeness.toFixed(2)}`]),
    ...(words.length === 0 && likeness === null ? ['next to a turn that matches'] : []),
    // Of an item that is superseded itself the origin says so.
    ...(isSuperseded && item.validUntil === null ? ['what it says is superseded'] : []),
  ];
  const because = [describeOrigin(item, nowMs), ...reasons].join('; ');
  return { words, likeness, ageDays, isSuperseded, source: item.source, because };
}
