import { countWords, presenceOf, rarityOf, saturation, type Field } from '../../search/bm25.ts';

export interface WordHit {
  /** From 0 to 1: how much of what the query asks for it holds. */
  readonly score: number;
  /** The words of the query it holds, those that say most first. */
  readonly words: readonly string[];
}

const lengthPenalty = 0.5;
/** A word nobody has, often a name, says less about a request than the rarest that somebody has. */
const unknownShare = 0.005;
const nobody: ReadonlySet<string> = new Set();

interface Document {
  /** How often each word occurs, by the weights of the fields it occurs in. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Documents by their words, ranked with BM25 over weighted fields. Changed one document at a time. */
export class WordIndex {
  readonly #documents = new Map<string, Document>();
  readonly #holders = new Map<string, Set<string>>();
  #totalLength = 0;

  /** Adds a document, or replaces the one of that id. */
  put(id: string, fields: readonly Field[]): void {
    this.remove(id);
    const counts = countWords(fields);
    const length = fields.reduce((sum, { words, weight }) => sum + words.length * weight, 0);
    this.#documents.set(id, { counts, length });
    this.#totalLength += length;
    for (const word of counts.keys()) {
      const holders = this.#holders.get(word);
      if (holders) holders.add(id);
      else this.#holders.set(word, new Set([id]));
    }
  }

  remove(id: string): void {
    const document = this.#documents.get(id);
    if (!document) return;
    this.#documents.delete(id);
    this.#totalLength -= document.length;
    for (const word of document.counts.keys()) {
      const holders = this.#holders.get(word);
      holders?.delete(id);
      if (holders?.size === 0) this.#holders.delete(word);
    }
  }

  /** Every document with a word of the query, whose words come with the weight of each. */
  search(query: ReadonlyMap<string, number>): Map<string, WordHit> {
    const hits = new Map<string, { score: number; words: string[] }>();
    const rareFirst = [...query]
      .map(([word, weight]) => ({ word, weight, holders: this.#holders.get(word) ?? nobody }))
      .sort((a, b) => a.holders.size - b.holders.size);
    const best = this.#bestScore(query);
    for (const { word, weight, holders } of rareFirst) {
      const share = (weight * this.#rarityOf(holders.size)) / best;
      for (const id of holders) {
        const hit = hits.get(id) ?? { score: 0, words: [] };
        hit.score += share * this.#presence(id, word);
        hit.words.push(word);
        hits.set(id, hit);
      }
    }
    return hits;
  }

  /** What a document would get that is about every word the user said, known here or not. */
  #bestScore(query: ReadonlyMap<string, number>): number {
    let best = 0;
    for (const [word, weight] of query) {
      if (weight < 1) continue;
      const holders = this.#holders.get(word)?.size ?? 0;
      best +=
        this.#rarityOf(Math.max(holders, unknownShare * this.#documents.size)) * (saturation + 1);
    }
    return Math.max(best, 1);
  }

  #rarityOf(holders: number): number {
    return rarityOf(holders, this.#documents.size);
  }

  #presence(id: string, word: string): number {
    const document = this.#documents.get(id);
    const count = document?.counts.get(word) ?? 0;
    const averageLength = this.#totalLength / this.#documents.size;
    const relativeLength = (document?.length ?? 0) / averageLength;
    return presenceOf({ count, relativeLength, lengthPenalty });
  }
}
