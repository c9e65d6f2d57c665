import type { SqlWork } from './sql-database.ts';

/** Items that a search by words ranks, at about 2 µs each on a slow core. */
const maxRanked = 4_000;
/** Counting the items of a word takes a tenth of a microsecond each: worth keeping from here on. */
const minKept = 1_000;
const maxKept = 1_000;
/** Counts decide only which words are ranked, so they may be this old. */
const keptMs = 600_000;

export interface CountedWord {
  readonly word: string;
  readonly items: number;
}

/** In how many memory items words are: which of them are worth looking for. */
export class WordCounts {
  readonly #countOf: (word: string) => SqlWork<number>;
  readonly #kept = new Map<string, number>();
  #since = performance.now();

  constructor(countOf: (word: string) => SqlWork<number>) {
    this.#countOf = countOf;
  }

  /** The rarest first, without those that no item has or that would make a search rank too many items. */
  *rarestOf(words: readonly string[]): SqlWork<readonly CountedWord[]> {
    const counted: CountedWord[] = [];
    for (const word of words) {
      const items = yield* this.#count(word);
      if (items > 0) counted.push({ word, items });
    }
    counted.sort((a, b) => a.items - b.items);
    let ranked = 0;
    return counted.filter(({ items }, index) => {
      ranked += items;
      return index === 0 || ranked <= maxRanked;
    });
  }

  *#count(word: string): SqlWork<number> {
    if (performance.now() - this.#since > keptMs || this.#kept.size >= maxKept) {
      this.#kept.clear();
      this.#since = performance.now();
    }
    const known = this.#kept.get(word);
    if (known !== undefined) return known;
    const items = yield* this.#countOf(word);
    if (items >= minKept) this.#kept.set(word, items);
    return items;
  }
}
