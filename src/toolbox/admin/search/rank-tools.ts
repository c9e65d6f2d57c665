import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { maxPresence, splitWords, type WordIndex } from '../../search/word-index.ts';
import { textOf } from './tool-text.ts';

export interface WordHit {
  /** From 0 to 1: how much of what the query asks for it holds. */
  readonly score: number;
  /** The words of the query it holds, those that say most first. */
  readonly words: readonly string[];
}

/** A word no tool has, often a name, says less about a request than the rarest that one has. */
const unknownShare = 0.005;

/** Every tool with a word of the query, whose words come with the weight of each. */
export function searchWords(
  index: WordIndex<string>,
  query: ReadonlyMap<string, number>,
): Map<string, WordHit> {
  const hits = new Map<string, { score: number; words: string[] }>();
  const rareFirst = [...query]
    .map(([word, weight]) => ({ word, weight, holders: index.holderCount(word) }))
    .sort((a, b) => a.holders - b.holders);
  // The score of a tool that is about every word the user said, known here or not.
  const best = rareFirst
    .filter(({ weight }) => weight >= 1)
    .map(({ holders }) => index.rarity(Math.max(holders, unknownShare * index.size)) * maxPresence)
    .reduce((sum, one) => sum + one, 0);
  for (const { word, weight, holders } of rareFirst) {
    const share = (weight * index.rarity(holders)) / Math.max(best, 1);
    index.forEachHolder(word, (id, presence) => {
      const hit = hits.get(id) ?? { score: 0, words: [] };
      hit.score += share * presence;
      hit.words.push(word);
      hits.set(id, hit);
    });
  }
  return hits;
}

export interface Ranked {
  readonly id: string;
  /** From 0 to 1. */
  readonly score: number;
  /** The words of the query it holds. */
  readonly words: readonly string[];
  /** How close in meaning; undefined where that is not known. */
  readonly closeness: number | undefined;
}

/** How much of the score words decide; the rest is meaning. Chosen on the tuning half of the requests. */
const wordPart = 0.7;
/** Closer than unrelated texts are by chance. */
const minCloseness = 0.15;

/**
 * Best first, ties by id. With closeness every document has a chance; without it, those that hold a
 * word of the query.
 */
export function fuse(
  words: ReadonlyMap<string, WordHit>,
  closeness: ReadonlyMap<string, number> | undefined,
): Ranked[] {
  const ids = new Set([...words.keys(), ...(closeness?.keys() ?? [])]);
  const ranked: Ranked[] = [];
  for (const id of ids) {
    const hit = words.get(id);
    const near = closeness?.get(id);
    if (!hit && (near ?? 0) < minCloseness) continue;
    const byWords = Math.min(1, hit?.score ?? 0);
    // A tool without vectors stands where its words put it.
    const byMeaning = Math.max(0, near ?? byWords);
    const score = closeness ? wordPart * byWords + (1 - wordPart) * byMeaning : byWords;
    ranked.push({ id, score, words: hit?.words ?? [], closeness: near });
  }
  return ranked.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

const maxWordsShown = 5;

/** Why a tool was found: the words it has in common with the query, as it writes them, and how close it is. */
export function explain(entry: CatalogueEntry, { words, closeness }: Ranked): string {
  const written = new Map<string, string>();
  for (const word of textOf(entry)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)) {
    const [known] = splitWords(word);
    if (known !== undefined && !written.has(known)) written.set(known, word);
  }
  const shown = words.slice(0, maxWordsShown).map((word) => written.get(word) ?? word);
  return [
    ...(shown.length > 0 ? [`has ${shown.join(', ')}`] : []),
    ...(closeness === undefined ? [] : [`meaning ${closeness.toFixed(2)}`]),
  ].join('; ');
}
