import { countWords, presenceOf, rarityOf, type Field } from '../../search/bm25.ts';

export interface Hit {
  readonly index: number;
  readonly score: number;
  /** How much of what was asked for it holds, from 0 to 1; rare words are more of it. */
  readonly coverage: number;
}

const lengthPenalty = 0.6;
const minKnownShare = 1 / 3;

interface Posting {
  readonly index: number;
  readonly count: number;
}

/** BM25 over weighted fields, for passages that are only ever added. */
export class PassageRanking {
  readonly #postings = new Map<string, Posting[]>();
  readonly #lengths: number[] = [];
  #totalLength = 0;

  /** Adds the next passage; hits name it by how many were added before it. */
  add(fields: readonly Field[]): void {
    const index = this.#lengths.length;
    const length = fields.reduce((sum, { words }) => sum + words.length, 0);
    this.#lengths.push(length);
    this.#totalLength += length;
    for (const [word, count] of countWords(fields)) {
      const postings = this.#postings.get(word);
      if (postings) postings.push({ index, count });
      else this.#postings.set(word, [{ index, count }]);
    }
  }

  knows(word: string): boolean {
    return this.#postings.has(word);
  }

  /**
   * Every passage with a word of the question, whose words count by their weights. None when the
   * passages know fewer than a third of its words: then they are about something else.
   */
  search(question: ReadonlyMap<string, number>): Hit[] {
    const sums = new Map<number, { score: number; held: number }>();
    const known = [...question.keys()].filter((word) => this.#postings.has(word));
    if (known.length < question.size * minKnownShare) return [];
    let asked = 0;
    for (const word of known) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = this.#rarityOf(postings.length) * (question.get(word) ?? 1);
      asked += rarity;
      for (const { index, count } of postings) {
        const sum = sums.get(index) ?? { score: 0, held: 0 };
        sum.score += rarity * this.#presence(index, count);
        sum.held += rarity;
        sums.set(index, sum);
      }
    }
    return [...sums].map(([index, { score, held }]) => ({ index, score, coverage: held / asked }));
  }

  #rarityOf(holders: number): number {
    return rarityOf(holders, this.#lengths.length);
  }

  #presence(index: number, count: number): number {
    const averageLength = this.#totalLength / this.#lengths.length;
    const relativeLength = (this.#lengths[index] ?? 0) / averageLength;
    return presenceOf({ count, relativeLength, lengthPenalty });
  }
}
