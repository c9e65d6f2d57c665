import type { MemoryItem } from '../../contract/memory/index.ts';
import { wordsOf } from '../converse/words.ts';
import type { NeighbourItem, ScoredItem } from '../items/memory-item-store.ts';
import type { ReadQuery } from './read-query.ts';

/** How well an item fits by itself. */
export interface Fit {
  readonly score: number;
  /** Cosine; null where the vector search did not return it. */
  readonly likeness: number | null;
}

/** Chosen by one coarse sweep and by hand on the tuning half of `bench/memory`; more digits gain nothing. */
const weights = {
  /** The nearest item counts this much. */
  likeness: 1.6,
  /** Share of its score that a turn gives to the turn after it (often the answer), before it, and two away. */
  next: 0.25,
  previous: 0.2,
  farther: 0.1,
  /** For turns of the person whom the question names. */
  speaker: 1.7,
  insideTime: 2,
  outsideTime: 0.5,
  /** A question that was asked before is close to one that is asked again, and answers little. */
  question: 0.9,
  /** Of a turn that says nothing: "oh, really". */
  nothingSaid: 0.3,
  superseded: 0.3,
  /** What was given to be remembered answers more than what was said on the way. */
  told: 2,
  /** Of another project. */
  elsewhere: 0.5,
  /** The question itself, asked before. */
  same: 0.3,
};
/** BM25 of the best item counts 1, or less where it is below this: then only names or common words match. */
export const fullWordScore = 6;
/** From this many words on a turn says something. */
const wordsOfSubstance = 5;
/** Turns this far from a match share its score. */
export const neighbourRadius = 2;

/** Scores by words and by meaning as one; the best of each counts fully. */
export function fuse(
  byWords: readonly ScoredItem[],
  byVector: readonly ScoredItem[],
): Map<string, Fit> {
  const bestWords = Math.max(fullWordScore, byWords[0]?.score ?? 0);
  const fits = new Map<string, Fit>();
  for (const { id, score } of byWords) fits.set(id, { score: score / bestWords, likeness: null });
  const nearest = Math.max(Number.EPSILON, byVector[0]?.score ?? 0);
  for (const { id, score: likeness } of byVector) {
    const close = (Math.max(0, likeness) / nearest) * weights.likeness;
    fits.set(id, { score: (fits.get(id)?.score ?? 0) + close, likeness });
  }
  return fits;
}

/** Lets turns share the scores of their neighbours: "yes, that one" means what was said before it. */
export function smooth(
  fits: ReadonlyMap<string, Fit>,
  neighbours: readonly NeighbourItem[],
): Map<string, Fit> {
  const smoothed = new Map(fits);
  for (const { id, of, distance } of neighbours) {
    const own = smoothed.get(id) ?? { score: 0, likeness: null };
    const share = (fits.get(of)?.score ?? 0) * shareAt(distance);
    smoothed.set(id, { ...own, score: own.score + share });
  }
  return smoothed;
}

function shareAt(distance: number): number {
  if (distance === 1) return weights.next;
  return distance === -1 ? weights.previous : weights.farther;
}

interface Told {
  readonly item: MemoryItem;
  readonly score: number;
  readonly isSuperseded: boolean;
  readonly isElsewhere: boolean;
}

function isSameQuestion(said: string, { words }: ReadQuery): boolean {
  const own = wordsOf(said);
  return (
    words.length > 0 &&
    own.length <= words.length &&
    overlap(new Set(own), new Set(words.flatMap(wordsOf))) > maxOverlap
  );
}

/** Adjusts a score by who speaks, when, how much is said, and whether it still holds. */
export function adjust({ item, score, isSuperseded, isElsewhere }: Told, query: ReadQuery): number {
  const { speaker, said } = parseSpeaker(item.text);
  let adjusted = item.kind === 'turn' ? score : score * weights.told;
  if (isElsewhere) adjusted *= weights.elsewhere;
  if (item.kind === 'turn' && isSameQuestion(said, query)) adjusted *= weights.same;
  if (speaker !== undefined && query.names.has(speaker.toLowerCase())) adjusted *= weights.speaker;
  if (query.times.length > 0) {
    const atMs = Date.parse(item.observedAt);
    const isInside = query.times.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs < untilMs);
    adjusted *= isInside ? weights.insideTime : weights.outsideTime;
  }
  if (said.trimEnd().endsWith('?')) adjusted *= weights.question;
  const substance = Math.min(1, wordsOf(said).length / wordsOfSubstance);
  adjusted *= weights.nothingSaid + (1 - weights.nothingSaid) * substance;
  return isSuperseded && !query.isAboutPast ? adjusted * weights.superseded : adjusted;
}

const speakerPattern = /^(\p{Lu}[\p{L}'-]{0,30}(?: \p{Lu}[\p{L}'-]{0,30})?): /u;

/** Turns of several people are written `Anna: …`. */
export function parseSpeaker(text: string): { readonly speaker?: string; readonly said: string } {
  const found = speakerPattern.exec(text);
  const speaker = found?.[1];
  return speaker === undefined
    ? { said: text }
    : { speaker, said: text.slice(found?.[0].length ?? 0) };
}

/** Texts that share more of their words than this say the same. */
const maxOverlap = 0.85;

/** Takes the best first and leaves out what repeats one that is taken. */
export function diversify<Ranked extends { readonly item: MemoryItem }>(
  ranked: readonly Ranked[],
  limit: number,
): Ranked[] {
  const taken: { one: Ranked; words: ReadonlySet<string> }[] = [];
  for (const one of ranked) {
    const words = new Set(wordsOf(one.item.text));
    const same = taken.find(
      (other) => isSameTurn(one.item, other.one.item) || overlap(words, other.words) > maxOverlap,
    );
    // A fact says what is known without the words around it: "remember that …".
    if (same?.one.item.kind === 'turn' && one.item.kind !== 'turn')
      Object.assign(same, { one, words });
    if (same === undefined && taken.length < limit) taken.push({ one, words });
  }
  return taken.map(({ one }) => one);
}

/** A fact and the turn that it was noted from. */
function isSameTurn({ source: a }: MemoryItem, { source: b }: MemoryItem): boolean {
  return a.kind === 'turn' && b.kind === 'turn' && a.session === b.session && a.turn === b.turn;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const larger = Math.max(a.size, b.size);
  return larger === 0 ? 0 : a.intersection(b).size / larger;
}
