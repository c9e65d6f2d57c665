/** A part of a document and how much a word in it counts. */
export interface Field {
  readonly words: readonly string[];
  readonly weight: number;
}

/** How fast more of the same word stops counting. */
const saturation = 1.2;
export const maxPresence = saturation + 1;

/** BM25 over weighted fields. Changed one document at a time. */
export class WordIndex<Id> {
  /** By word, the documents that hold it and its weighted count in each. */
  readonly #holders = new Map<string, Map<Id, number>>();
  readonly #lengths = new Map<Id, number>();
  #totalLength = 0;
  readonly #lengthPenalty: number;

  /** `lengthPenalty`: how much long documents are held back, from 0 to 1. */
  constructor(lengthPenalty: number) {
    this.#lengthPenalty = lengthPenalty;
  }

  get size(): number {
    return this.#lengths.size;
  }

  /** Adds a document, or replaces the one of that id. */
  put(id: Id, fields: readonly Field[], length: number): void {
    this.remove(id);
    this.#lengths.set(id, length);
    this.#totalLength += length;
    for (const { words, weight } of fields) {
      for (const word of words) {
        const counts = this.#holders.get(word) ?? new Map<Id, number>();
        this.#holders.set(word, counts.set(id, (counts.get(id) ?? 0) + weight));
      }
    }
  }

  remove(id: Id): void {
    const length = this.#lengths.get(id);
    if (length === undefined) return;
    this.#lengths.delete(id);
    this.#totalLength -= length;
    for (const [word, counts] of this.#holders) {
      if (counts.delete(id) && counts.size === 0) this.#holders.delete(word);
    }
  }

  holderCount(word: string): number {
    return this.#holders.get(word)?.size ?? 0;
  }

  /** How much a word says that so many documents hold. */
  rarity(holders: number): number {
    return Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5));
  }

  /** Calls back for each document that holds the word, with how present it is there: 0 to `maxPresence`. */
  forEachHolder(word: string, use: (id: Id, presence: number) => void): void {
    const averageLength = this.#totalLength / this.size;
    for (const [id, count] of this.#holders.get(word) ?? []) {
      const relativeLength = (this.#lengths.get(id) ?? 0) / averageLength;
      const brake = 1 - this.#lengthPenalty + this.#lengthPenalty * relativeLength;
      use(id, (count * maxPresence) / (count + saturation * brake));
    }
  }
}
