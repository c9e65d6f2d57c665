import { readNumber } from './run-rows.ts';
import type { Statements } from './sqlite-database.ts';

const countSql = 'SELECT COUNT(*) AS count FROM memory_words WHERE memory_words MATCH ?';

/** Items that a search by words ranks, at about 2 µs each on a slow core. */
const maxRanked = 4_000;
/** Counting the items of a word takes a tenth of a microsecond each: worth keeping from here on. */
const minKept = 1_000;
const maxKept = 1_000;
/** Counts decide only which words are ranked, so they may be this old. */
const keptMs = 600_000;

/** In how many memory items words are: which of them are worth looking for. */
export class WordCounts {
  readonly #kept = new Map<string, number>();
  #since = performance.now();

  /** The words as the index is asked for them, without those that would make it rank too many items. */
  rarestOf(statements: Statements, words: readonly string[]): readonly string[] {
    const counted = words
      .map((word) => `"${word.replaceAll('"', '""')}"`)
      .map((word) => ({ word, items: this.#count(statements, word) }))
      .filter(({ items }) => items > 0)
      .sort((a, b) => a.items - b.items);
    let ranked = 0;
    return counted
      .filter(({ items }, index) => {
        ranked += items;
        return index === 0 || ranked <= maxRanked;
      })
      .map(({ word }) => word);
  }

  #count(statements: Statements, word: string): number {
    if (performance.now() - this.#since > keptMs || this.#kept.size >= maxKept) {
      this.#kept.clear();
      this.#since = performance.now();
    }
    const known = this.#kept.get(word);
    if (known !== undefined) return known;
    const items = readNumber(statements(countSql).get(word) ?? {}, 'count');
    if (items >= minKept) this.#kept.set(word, items);
    return items;
  }
}
