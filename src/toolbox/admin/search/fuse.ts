import type { WordHit } from './word-index.ts';

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
