import { isWantedSql } from '../sql/memory-rows.ts';
import {
  all,
  one,
  type SqlDatabase,
  type SqlRow,
  type SqlValue,
  type SqlWork,
} from '../sql/sql-database.ts';
import type { MemoryDialect } from '../sql/sql-memory-item-store.ts';
import { WordCounts } from '../sql/word-counts.ts';

/** The stems of each word, in order: "user_name" has two. */
const stemsSql = `
  SELECT word.value AS word, stem.lexeme
  FROM json_each($1) AS word, LATERAL unnest(memory_words(word.value)) AS stem, LATERAL unnest(stem.positions) AS place
  ORDER BY word.value, place`;

const countSql = 'SELECT COUNT(*) AS count FROM memory_items WHERE words @@ $1::tsquery';

const totalsSql = `
  SELECT COUNT(*) AS items, COALESCE(AVG(word_count), 0) AS mean FROM memory_items`;

/** Parameters of BM25 as FTS5 of SQLite has them, so that both databases rank alike. A phrase counts as its first stem. */
const byWordsSql = `
  SELECT i.item_id, SUM(wanted.weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * i.word_count / $11))) AS score
  FROM memory_items i
  CROSS JOIN LATERAL (SELECT lexeme, cardinality(positions) AS times FROM unnest(i.words)) AS word
  JOIN (SELECT value ->> 0 AS lexeme, (value ->> 1)::double precision AS weight, (value ->> 2)::tsquery AS phrase
    FROM json_array_elements($10::json)) AS wanted ON wanted.lexeme = word.lexeme AND i.words @@ wanted.phrase
  WHERE i.words @@ $9::tsquery AND ${isWantedSql}
  GROUP BY i.item_key ORDER BY score DESC, i.item_key LIMIT $12`;

const endsSql = `
  SELECT (SELECT MIN(number) FROM memory_changes WHERE caller_id = $1) AS first,
    (SELECT last FROM memory_change_counts WHERE caller_id = $1) AS last`;

const staleSql = 'SELECT COUNT(*) AS count FROM memory_items WHERE words <> memory_words(text)';

/** The weight of a word that more than half of the items have. */
const minWeight = 1e-6;

/** The words of memory items as text search vectors, which triggers keep together with the items. */
export class PostgresMemory implements MemoryDialect {
  readonly turnText = `btrim(t.turn::json ->> 'text', E' \\t\\r\\n')`;
  readonly indexedSql = 'SELECT COUNT(*) FROM memory_items WHERE words IS NOT NULL';
  readonly #database: SqlDatabase;
  readonly #words = new WordCounts(countOf);

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  *changes(callerId: string): SqlWork<{ readonly first: number; readonly last: number }> {
    const ends = yield* one(endsSql, callerId);
    const last = Number(ends?.['last'] ?? 0);
    return { first: Number(ends?.['first'] ?? last + 1), last };
  }

  *byWords(
    words: readonly string[],
    cells: readonly SqlValue[],
    limit: number,
  ): SqlWork<readonly SqlRow[]> {
    const stems = yield* all(stemsSql, JSON.stringify(words));
    const phrases = Map.groupBy(stems, ({ word }) => word);
    const texts = [...phrases.values()].map((phrase) =>
      phrase.map(({ lexeme }) => quote(String(lexeme))).join(' <-> '),
    );
    const rarest = yield* this.#words.rarestOf(texts);
    if (rarest.length === 0) return [];
    const totals = yield* one(totalsSql);
    const count = Number(totals?.['items']);
    const weights = rarest.map(({ word, items }) => [
      word.slice(1, word.indexOf("'", 1)),
      Math.max(minWeight, Math.log((count - items + 0.5) / (items + 0.5))),
      word,
    ]);
    const query = rarest.map(({ word }) => `(${word})`).join(' | ');
    const mean = Number(totals?.['mean']);
    return yield* all(byWordsSql, ...cells, query, JSON.stringify(weights), mean, limit);
  }

  async compareIndex(): Promise<readonly string[]> {
    const [row] = await this.#database.rows(staleSql);
    return row?.['count'] === 0 ? [] : ['the full-text index differs from the items'];
  }

  /** Removed rows are overwritten when PostgreSQL vacuums their table. */
  cleanUp(): void {}

  async erase(): Promise<void> {
    for (const table of ['memory_items', 'memory_vectors', 'session_turns', 'sessions']) {
      await this.#database.rows(`VACUUM (FULL) ${table}`);
    }
  }
}

function* countOf(phrase: string): SqlWork<number> {
  return Number((yield* one(countSql, phrase))?.['count'] ?? 0);
}

/** A word of a query; a stem has neither quotes nor backslashes. */
function quote(stem: string): string {
  return `'${stem}'`;
}
