import { AppError } from '../../kernel/index.ts';
import { StoreBusyError } from '../errors.ts';
import { isWantedSql } from '../sql/memory-rows.ts';
import { all, one, type SqlRow, type SqlValue, type SqlWork } from '../sql/sql-database.ts';
import type { MemoryDialect } from '../sql/sql-memory-item-store.ts';
import { WordCounts } from '../sql/word-counts.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

/** `CROSS JOIN`: asked for each of a caller's items, the index would take minutes. */
const byWordsSql = `
  SELECT i.item_id, -bm25(memory_words) AS score
  FROM memory_words w CROSS JOIN memory_items i ON i.item_key = w.rowid
  WHERE memory_words MATCH $9 AND ${isWantedSql}
  ORDER BY bm25(memory_words) LIMIT $10`;

const countSql = 'SELECT COUNT(*) AS count FROM memory_words WHERE memory_words MATCH $1';

const endsSql = `
  SELECT (SELECT MIN(number) FROM memory_changes) AS first,
    (SELECT seq FROM sqlite_sequence WHERE name = 'memory_changes') AS last`;

const compareSql = `INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)`;
const mergeSql = `INSERT INTO memory_words (memory_words) VALUES ('optimize')`;

/** Waiting blocks the event loop: only shortly per attempt. */
const busyTimeoutMs = 250;
const terms = { durability: 'normal', busyTimeoutMs } as const;

/** The words of memory items in an FTS5 index, which triggers keep together with the items. */
export class SqliteMemory implements MemoryDialect {
  readonly turnText = `CASE WHEN json_valid(t.turn)
    THEN trim(t.turn ->> '$.text', char(9, 10, 13, 32)) ELSE '' END`;
  readonly indexedSql = 'SELECT COUNT(*) FROM memory_words_docsize';
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;
  readonly #words = new WordCounts(countOf);

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  *changes(): SqlWork<{ readonly first: number; readonly last: number }> {
    const ends = yield* one(endsSql);
    const last = Number(ends?.['last'] ?? 0);
    return { first: Number(ends?.['first'] ?? last + 1), last };
  }

  *byWords(
    words: readonly string[],
    cells: readonly SqlValue[],
    limit: number,
  ): SqlWork<readonly SqlRow[]> {
    const quoted = words.map((word) => `"${word.replaceAll('"', '""')}"`);
    const rarest = yield* this.#words.rarestOf(quoted);
    if (rarest.length === 0) return [];
    return yield* all(byWordsSql, ...cells, rarest.map(({ word }) => word).join(' OR '), limit);
  }

  async compareIndex(): Promise<readonly string[]> {
    try {
      await this.#write(compareSql);
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'store.corrupt') throw error;
      return ['the full-text index differs from the items'];
    }
  }

  /** The log still has the pages as they were. While others read from it, that waits for the next time. */
  cleanUp(): void {
    this.#database.emptyLog(0);
  }

  async erase(): Promise<void> {
    await this.#write(mergeSql);
    await whileStoreBusy(this.#patienceMs, () => {
      this.#database.vacuum(busyTimeoutMs);
    });
    await whileStoreBusy(this.#patienceMs, () => {
      if (this.#database.emptyLog(busyTimeoutMs)) return;
      throw new StoreBusyError(this.#database.options.path, 'others read from it');
    });
  }

  async #write(sql: string): Promise<void> {
    await whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => statements(sql).run()),
    );
  }
}

function* countOf(word: string): SqlWork<number> {
  return Number((yield* one(countSql, word))?.['count'] ?? 0);
}
