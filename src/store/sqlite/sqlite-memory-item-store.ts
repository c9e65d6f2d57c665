import type { Caller } from '../../contract/caller/index.ts';
import type { MemoryFilter, MemoryItem } from '../../contract/memory/index.ts';
import { AppError } from '../../kernel/index.ts';
import type {
  MemoryItemChange,
  MemoryItemCounts,
  MemoryItemStore,
  MemoryPage,
  MemorySearch,
  NeighbourItem,
  NewMemoryItem,
  PendingVector,
  ScoredItem,
} from '../../memory/index.ts';
import { StoreBusyError } from '../errors.ts';
import { CallerVectors } from './caller-vectors.ts';
import {
  filterCells,
  insertItem,
  isSourceKnown,
  isWantedSql,
  readItem,
  vectorFilter,
} from './memory-rows.ts';
import { countItems, hasPendingSession, indexTurnsOfSession } from './memory-upkeep.ts';
import { readNumber } from './run-rows.ts';
import {
  overwriting,
  type Durability,
  type SqliteDatabase,
  type Statements,
} from './sqlite-database.ts';
import { quantize } from './vector-index.ts';
import { WordCounts } from './word-counts.ts';
import { whileStoreBusy } from './write-group.ts';

// `+caller_id` keeps SQLite from reading all items of the caller instead of looking the ids up.
const itemsSql = `
  SELECT * FROM memory_items WHERE +caller_id = ? AND item_id IN (SELECT value FROM json_each(?))`;
const countSql = 'SELECT COUNT(*) AS count FROM memory_items WHERE caller_id = ?';
const findSql = `
  SELECT item_id FROM memory_items WHERE caller_id = ?1 AND substr(item_id, 1, length(?2)) = ?2
  ORDER BY observed_at_ms DESC LIMIT ?3`;

/** `more`: a condition that an index is made for. */
const listSql = (more: string): string => `
  SELECT i.* FROM memory_items i WHERE ${isWantedSql} ${more}
  AND (:after IS NULL OR (i.observed_at_ms, i.item_key) <
    (SELECT observed_at_ms, item_key FROM memory_items WHERE caller_id = :caller AND item_id = :after))
  ORDER BY i.observed_at_ms DESC, i.item_key DESC LIMIT :limit`;
const listAllSql = listSql('');
/** Nearly all items are turns, which every turn of a conversation would read to find that no fact is there. */
const listDerivedSql = listSql("AND i.kind <> 'turn'");

/** `CROSS JOIN`: asked for each of a caller's items, the index would take minutes. */
const byWordsSql = `
  SELECT i.item_id, -bm25(memory_words) AS score
  FROM memory_words w CROSS JOIN memory_items i ON i.item_key = w.rowid
  WHERE memory_words MATCH :words AND ${isWantedSql}
  ORDER BY bm25(memory_words) LIMIT :limit`;

const idSql = 'SELECT item_id FROM memory_items WHERE item_key = ?';
const keysOfSessionSql = `
  SELECT item_key FROM memory_items WHERE caller_id = ? AND session_id = ?`;

const neighboursSql = `
  SELECT n.item_id AS id, i.item_id AS of, n.turn - i.turn AS distance
  FROM memory_items i JOIN memory_items n ON n.session_id = i.session_id
    AND n.turn BETWEEN i.turn - ?3 AND i.turn + ?3
  WHERE +i.caller_id = ?1 AND i.item_id IN (SELECT value FROM json_each(?2))
    AND +n.caller_id = ?1 AND n.kind = 'turn' AND n.item_id <> i.item_id`;

const endSql = `
  UPDATE memory_items SET superseded_by = ?3, valid_until_ms = ?4
  WHERE caller_id = ?1 AND item_id = ?2 AND superseded_by IS NULL`;

const changeSql = `
  UPDATE memory_items SET pinned = COALESCE(?3, pinned), status = COALESCE(?4, status)
  WHERE caller_id = ?1 AND item_id = ?2`;

/** What a candidate would supersede ends when it is accepted. */
const endSupersededSql = `
  UPDATE memory_items SET superseded_by = ?2,
    valid_until_ms = (SELECT valid_from_ms FROM memory_items WHERE item_id = ?2)
  WHERE caller_id = ?1 AND superseded_by IS NULL
    AND item_id = (SELECT supersedes FROM memory_items WHERE caller_id = ?1 AND item_id = ?2)`;

/** Results of searches that runs keep for later calls. */
const dropCachedSql = `DELETE FROM step_cache WHERE caller_id = ? AND tool LIKE 'memory.%'`;

const versionsSql = `
  WITH RECURSIVE versions (item_id, supersedes) AS (
    SELECT item_id, supersedes FROM memory_items
    WHERE +caller_id = ?1 AND item_id IN (SELECT value FROM json_each(?2))
    UNION
    SELECT i.item_id, i.supersedes FROM versions v JOIN memory_items i ON i.item_id = v.supersedes
    WHERE i.caller_id = ?1
  ) SELECT i.* FROM memory_items i WHERE i.caller_id = ?1 AND i.item_id IN (SELECT item_id FROM versions)`;

const removeSql = 'DELETE FROM memory_items WHERE caller_id = ? AND item_id = ?';

const insertVectorSql = `
  INSERT INTO memory_vectors (item_key, vector) SELECT item_key, ?2 FROM memory_items WHERE item_id = ?1
  ON CONFLICT DO NOTHING`;

const pendingSql = `
  SELECT item_id AS id, text FROM memory_pending_vectors JOIN memory_items USING (item_key)
  ORDER BY item_key LIMIT ?`;

const compareSql = `INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)`;
const mergeSql = `INSERT INTO memory_words (memory_words) VALUES ('optimize')`;

/** Words of one search. */
const maxWords = 32;
/** Waiting blocks the event loop: only shortly per attempt. */
const tryMs = 250;

export interface MemoryItemStoreOptions {
  readonly patienceMs: number;
  /** Numbers of a vector. */
  readonly dimensions: number;
}

/** Keeps memory items in SQLite, their words in an FTS5 index, and vectors as blobs and in memory. */
export class SqliteMemoryItemStore implements MemoryItemStore {
  readonly #database: SqliteDatabase;
  readonly #options: MemoryItemStoreOptions;
  readonly #vectors: CallerVectors;
  readonly #words = new WordCounts();

  constructor(database: SqliteDatabase, options: MemoryItemStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#vectors = new CallerVectors(options.dimensions);
  }

  add(caller: Caller, items: readonly NewMemoryItem[]): Promise<'added' | 'unknown_source'> {
    return this.#write('full', (statements) => {
      const isKnown = items.every(({ item }) => isSourceKnown(statements, caller.id, item.source));
      if (!isKnown) return 'unknown_source';
      for (const one of items) this.#insert(statements, caller, one);
      return 'added';
    });
  }

  async get(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]> {
    if (!this.#database.exists || ids.length === 0) return [];
    const rows = this.#database.readOne((statements) =>
      statements(itemsSql).all(caller.id, JSON.stringify(ids)),
    );
    const items = new Map(rows.map((row) => [String(row['item_id']), this.#read(row)]));
    return ids.flatMap((id) => items.get(id) ?? []);
  }

  async find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) =>
      statements(findSql).all(caller.id, beginning, limit),
    );
    return rows.map((row) => String(row['item_id']));
  }

  async list(
    caller: Caller,
    filter: MemoryFilter,
    { limit, after }: MemoryPage,
  ): Promise<readonly MemoryItem[]> {
    if (!this.#database.exists) return [];
    const cells = { ...filterCells(caller.id, filter), limit, after: after ?? null };
    const sql = filter.kinds?.includes('turn') === false ? listDerivedSql : listAllSql;
    const rows = this.#database.readOne((statements) => statements(sql).all(cells));
    return rows.map((row) => this.#read(row));
  }

  async count(caller: Caller): Promise<number> {
    if (!this.#database.exists) return 0;
    const row = this.#database.readOne((statements) => statements(countSql).get(caller.id));
    return row ? readNumber(row, 'count') : 0;
  }

  async byWords(
    caller: Caller,
    words: readonly string[],
    { filter, limit }: MemorySearch,
  ): Promise<readonly ScoredItem[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.read((statements) => {
      const rarest = this.#words.rarestOf(statements, [...new Set(words)].slice(0, maxWords));
      if (rarest.length === 0) return [];
      const cells = { ...filterCells(caller.id, filter), words: rarest.join(' OR '), limit };
      return statements(byWordsSql).all(cells);
    });
    return rows.map((row) => ({ id: String(row['item_id']), score: readNumber(row, 'score') }));
  }

  async byVector(
    caller: Caller,
    vector: Float32Array,
    { filter, limit }: MemorySearch,
  ): Promise<readonly ScoredItem[]> {
    if (!this.#database.exists) return [];
    return this.#database.read((statements) => {
      const index = this.#vectors.of(statements, caller.id);
      const { session } = filter;
      const keys = session === undefined ? undefined : keysOf(statements, caller, session);
      const near = index.nearest(vector, limit, { ...vectorFilter(filter), keys });
      return near.map(({ key, cosine }) => ({
        id: String(statements(idSql).get(key)?.['item_id']),
        score: cosine,
      }));
    });
  }

  async neighbours(
    caller: Caller,
    ids: readonly string[],
    radius: number,
  ): Promise<readonly NeighbourItem[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) =>
      statements(neighboursSql).all(caller.id, JSON.stringify(ids), radius),
    );
    return rows.map((row) => ({
      id: String(row['id']),
      of: String(row['of']),
      distance: readNumber(row, 'distance'),
    }));
  }

  supersede(
    caller: Caller,
    id: string,
    by: NewMemoryItem,
  ): Promise<'superseded' | 'unknown' | 'unknown_source'> {
    const { item } = by;
    return this.#write('full', (statements) => {
      if (!isSourceKnown(statements, caller.id, item.source)) return 'unknown_source';
      const endsAtMs = Date.parse(item.validFrom);
      const ended = statements(endSql).run(caller.id, id, item.id, endsAtMs);
      if (ended.changes === 0) return 'unknown';
      this.#insert(statements, caller, { ...by, item: { ...item, supersedes: id } });
      return 'superseded';
    });
  }

  async change(caller: Caller, id: string, { pinned, status }: MemoryItemChange): Promise<boolean> {
    if (!this.#database.exists) return false;
    const flag = pinned === undefined ? null : Number(pinned);
    return this.#write('full', (statements) => {
      if (statements(changeSql).run(caller.id, id, flag, status ?? null).changes === 0)
        return false;
      if (status === 'active') statements(endSupersededSql).run(caller.id, id);
      return true;
    });
  }

  async forget(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]> {
    if (!this.#database.exists) return [];
    const removed = await this.#write('full', (statements) =>
      overwriting(statements, () => {
        const rows = statements(versionsSql).all(caller.id, JSON.stringify(ids));
        for (const row of rows) statements(removeSql).run(caller.id, String(row['item_id']));
        statements(dropCachedSql).run(caller.id);
        return rows.map((row) => this.#read(row));
      }),
    );
    // The log still has the pages as they were. While others read from it, that waits for the next time.
    this.#database.emptyLog(0);
    return removed;
  }

  async pendingVectors(limit: number): Promise<readonly PendingVector[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(pendingSql).all(limit));
    return rows.map((row) => ({ id: String(row['id']), text: String(row['text']) }));
  }

  async addVectors(
    vectors: readonly { readonly id: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    await this.#write('normal', (statements) => {
      for (const { id, vector } of vectors) {
        statements(insertVectorSql).run(id, this.#encode(vector));
      }
    });
  }

  async indexTurns(limit: number): Promise<number> {
    if (!this.#database.exists) return 0;
    if (!this.#database.readOne(hasPendingSession)) return 0;
    const { path } = this.#database.options;
    return this.#write('normal', (statements) => indexTurnsOfSession(statements, limit, path));
  }

  async counts(): Promise<MemoryItemCounts> {
    const counts = this.#database.readOne((statements) =>
      countItems(statements, this.#options.dimensions),
    );
    return { ...counts, problems: [...counts.problems, ...(await this.#compareIndex())] };
  }

  async erase(): Promise<void> {
    if (!this.#database.exists) return;
    await this.#write('normal', (statements) => statements(mergeSql).run());
    await whileStoreBusy(this.#options.patienceMs, () => {
      this.#database.vacuum(tryMs);
    });
    await whileStoreBusy(this.#options.patienceMs, () => {
      if (this.#database.emptyLog(tryMs)) return;
      throw new StoreBusyError(this.#database.options.path, 'others read from it');
    });
  }

  async #compareIndex(): Promise<readonly string[]> {
    try {
      await this.#write('normal', (statements) => statements(compareSql).run());
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'store.corrupt') throw error;
      return ['the full-text index differs from the items'];
    }
  }

  #insert(statements: Statements, caller: Caller, { item, vector }: NewMemoryItem): void {
    const key = insertItem(statements, caller.id, item);
    if (key !== undefined && vector) {
      statements(insertVectorSql).run(item.id, this.#encode(vector));
    }
  }

  #encode(vector: Float32Array): Uint8Array {
    if (vector.length !== this.#options.dimensions) {
      throw new Error(
        `a vector of ${vector.length} numbers instead of ${this.#options.dimensions}`,
      );
    }
    return new Uint8Array(quantize(vector).buffer);
  }

  #read(row: Parameters<typeof readItem>[0]): MemoryItem {
    return readItem(row, this.#database.options.path);
  }

  #write<Result>(durability: Durability, work: (statements: Statements) => Result) {
    const terms = { durability, busyTimeoutMs: tryMs };
    return whileStoreBusy(this.#options.patienceMs, () => this.#database.write(terms, work));
  }
}

function keysOf(statements: Statements, caller: Caller, session: string): ReadonlySet<number> {
  const rows = statements(keysOfSessionSql).all(caller.id, session);
  return new Set(rows.map((row) => readNumber(row, 'item_key')));
}
