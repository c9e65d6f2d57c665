import type { Caller } from '../../contract/caller/index.ts';
import type { MemoryFilter, MemoryItem } from '../../contract/memory/index.ts';
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
import { readNumber } from '../sqlite/run-rows.ts';
import { CallerVectors, type MemoryChanges } from './caller-vectors.ts';
import {
  filterCells,
  insertItem,
  isSourceKnown,
  isWantedSql,
  readItem,
  vectorFilter,
} from './memory-rows.ts';
import {
  countItems,
  hasPendingSession,
  indexTurnsOfSession,
  type MemoryTexts,
} from './memory-upkeep.ts';
import { all, type SqlDatabase, type SqlRow, type SqlValue, type SqlWork } from './sql-database.ts';
import { quantize } from './vector-index.ts';

// `caller_id || ''` keeps SQLite from reading all items of the caller instead of looking the ids up.
const itemsSql = `
  SELECT * FROM memory_items
  WHERE caller_id || '' = $1 AND item_id IN (SELECT value FROM json_each($2))`;
const countSql = 'SELECT COUNT(*) AS count FROM memory_items WHERE caller_id = $1';
const findSql = `
  SELECT item_id FROM memory_items WHERE caller_id = $1 AND substr(item_id, 1, length($2)) = $2
  ORDER BY observed_at_ms DESC LIMIT $3`;

/** `more`: a condition that an index is made for. */
const listSql = (more: string): string => `
  SELECT i.* FROM memory_items i WHERE ${isWantedSql} ${more}
  AND (CAST($9 AS TEXT) IS NULL OR (i.observed_at_ms, i.item_key) <
    (SELECT observed_at_ms, item_key FROM memory_items WHERE caller_id = $1 AND item_id = $9))
  ORDER BY i.observed_at_ms DESC, i.item_key DESC LIMIT $10`;
const listAllSql = listSql('');
/** Nearly all items are turns, which every turn of a conversation would read to find that no fact is there. */
const listDerivedSql = listSql("AND i.kind <> 'turn'");

const pinnedSql = `
  SELECT * FROM memory_items WHERE caller_id = $1 AND pinned = 1
  ORDER BY observed_at_ms DESC, item_key DESC LIMIT $2`;

const idsSql = `
  SELECT item_key, item_id FROM memory_items
  WHERE item_key IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`;
const keysOfSessionSql = `
  SELECT item_key FROM memory_items WHERE caller_id = $1 AND session_id = $2`;

const neighboursSql = `
  SELECT n.item_id AS id, i.item_id AS of_id, n.turn - i.turn AS distance
  FROM memory_items i JOIN memory_items n ON n.session_id = i.session_id
    AND n.turn BETWEEN i.turn - CAST($3 AS INTEGER) AND i.turn + CAST($3 AS INTEGER)
  WHERE i.caller_id || '' = $1 AND i.item_id IN (SELECT value FROM json_each($2))
    AND n.caller_id || '' = $1 AND n.kind = 'turn' AND n.item_id <> i.item_id`;

const endSql = `
  UPDATE memory_items SET superseded_by = $3, valid_until_ms = $4
  WHERE caller_id = $1 AND item_id = $2 AND superseded_by IS NULL RETURNING item_key`;

const changeSql = `
  UPDATE memory_items SET pinned = COALESCE($3, pinned), status = COALESCE($4, status)
  WHERE caller_id = $1 AND item_id = $2 RETURNING item_key`;

/** What a candidate would supersede ends when it is accepted. */
const endSupersededSql = `
  UPDATE memory_items SET superseded_by = $2,
    valid_until_ms = (SELECT valid_from_ms FROM memory_items WHERE item_id = $2)
  WHERE caller_id = $1 AND superseded_by IS NULL
    AND item_id = (SELECT supersedes FROM memory_items WHERE caller_id = $1 AND item_id = $2)`;

/** Results of searches that runs keep for later calls. */
const dropCachedSql = `DELETE FROM step_cache WHERE caller_id = $1 AND tool LIKE 'memory.%'`;

const versionsSql = `
  WITH RECURSIVE versions (item_id, supersedes) AS (
    SELECT item_id, supersedes FROM memory_items
    WHERE caller_id || '' = $1 AND item_id IN (SELECT value FROM json_each($2))
    UNION
    SELECT i.item_id, i.supersedes FROM versions v JOIN memory_items i ON i.item_id = v.supersedes
    WHERE i.caller_id = $1
  ) SELECT i.* FROM memory_items i WHERE i.caller_id = $1 AND i.item_id IN (SELECT item_id FROM versions)`;

const removeSql = 'DELETE FROM memory_items WHERE caller_id = $1 AND item_id = $2';

const insertVectorSql = `
  INSERT INTO memory_vectors (item_key, vector) SELECT item_key, $2 FROM memory_items WHERE item_id = $1
  ON CONFLICT DO NOTHING`;

const pendingSql = `
  SELECT item_id AS id, text FROM memory_pending_vectors JOIN memory_items USING (item_key)
  ORDER BY item_key LIMIT $1`;

/** Words of one search. */
const maxWords = 32;
export interface MemoryItemStoreOptions {
  /** Numbers of a vector. */
  readonly dimensions: number;
}

/** What the two databases do in different ways. */
export interface MemoryDialect extends MemoryTexts {
  readonly changes: MemoryChanges;
  /** The best items with any of these words, by BM25. `cells` are the values of `isWantedSql`. */
  byWords(
    words: readonly string[],
    cells: readonly SqlValue[],
    limit: number,
  ): SqlWork<readonly SqlRow[]>;
  /** Disagreements between the items and the index of words. */
  compareIndex(): Promise<readonly string[]>;
  /** Called after items were removed: nothing of them is left where that takes no time. */
  cleanUp(): void;
  /** Leaves nothing of what was removed, also not in unused parts of the files. */
  erase(): Promise<void>;
}

/** Keeps memory items, the index of their words, and their vectors, these in memory, too. */
export class SqlMemoryItemStore implements MemoryItemStore {
  readonly #database: SqlDatabase;
  readonly #dialect: MemoryDialect;
  readonly #options: MemoryItemStoreOptions;
  readonly #vectors: CallerVectors;

  constructor(database: SqlDatabase, dialect: MemoryDialect, options: MemoryItemStoreOptions) {
    this.#database = database;
    this.#dialect = dialect;
    this.#options = options;
    this.#vectors = new CallerVectors(options.dimensions, dialect.changes);
  }

  add(caller: Caller, items: readonly NewMemoryItem[]): Promise<'added' | 'unknown_source'> {
    const insert = (one: NewMemoryItem): SqlWork<void> => this.#insert(caller, one);
    return this.#write(caller, function* () {
      for (const { item } of items) {
        if (!(yield* isSourceKnown(caller.id, item.source))) return 'unknown_source';
      }
      for (const item of items) yield* insert(item);
      return 'added';
    });
  }

  async get(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database.rows(itemsSql, caller.id, JSON.stringify(ids));
    const items = new Map(rows.map((row) => [String(row['item_id']), this.#read(row)]));
    return ids.flatMap((id) => items.get(id) ?? []);
  }

  async find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows(findSql, caller.id, beginning, limit);
    return rows.map((row) => String(row['item_id']));
  }

  async list(
    caller: Caller,
    filter: MemoryFilter,
    { limit, after }: MemoryPage,
  ): Promise<readonly MemoryItem[]> {
    const cells = filterCells(caller.id, filter);
    const sql = filter.kinds?.includes('turn') === false ? listDerivedSql : listAllSql;
    const rows = await this.#database.rows(sql, ...cells, after ?? null, limit);
    return rows.map((row) => this.#read(row));
  }

  async pinned(caller: Caller, limit: number): Promise<readonly MemoryItem[]> {
    const rows = await this.#database.rows(pinnedSql, caller.id, limit);
    return rows.map((row) => this.#read(row));
  }

  async count(caller: Caller): Promise<number> {
    const [row] = await this.#database.rows(countSql, caller.id);
    return row ? readNumber(row, 'count') : 0;
  }

  async byWords(
    caller: Caller,
    words: readonly string[],
    { filter, limit }: MemorySearch,
  ): Promise<readonly ScoredItem[]> {
    if (!this.#database.exists || words.length === 0) return [];
    const known = [...new Set(words)].slice(0, maxWords);
    const rows = await this.#database.read(() =>
      this.#dialect.byWords(known, filterCells(caller.id, filter), limit),
    );
    return rows.map((row) => ({ id: String(row['item_id']), score: readNumber(row, 'score') }));
  }

  async byVector(
    caller: Caller,
    vector: Float32Array,
    { filter, limit }: MemorySearch,
  ): Promise<readonly ScoredItem[]> {
    if (!this.#database.exists) return [];
    const vectors = this.#vectors;
    return this.#database.read(function* () {
      const index = yield* vectors.of(caller.id);
      const { session } = filter;
      const keys = session === undefined ? undefined : yield* keysOf(caller, session);
      const near = index.nearest(vector, limit, { ...vectorFilter(filter), keys });
      const rows = yield* all(idsSql, JSON.stringify(near.map(({ key }) => key)));
      const ids = new Map(rows.map((row) => [row['item_key'], String(row['item_id'])]));
      return near.flatMap(({ key, cosine }) => {
        const id = ids.get(key);
        return id === undefined ? [] : [{ id, score: cosine }];
      });
    });
  }

  async neighbours(
    caller: Caller,
    ids: readonly string[],
    radius: number,
  ): Promise<readonly NeighbourItem[]> {
    const rows = await this.#database.rows(neighboursSql, caller.id, JSON.stringify(ids), radius);
    return rows.map((row) => ({
      id: String(row['id']),
      of: String(row['of_id']),
      distance: readNumber(row, 'distance'),
    }));
  }

  supersede(
    caller: Caller,
    id: string,
    by: NewMemoryItem,
  ): Promise<'superseded' | 'unknown' | 'unknown_source'> {
    const { item } = by;
    const insert = (one: NewMemoryItem): SqlWork<void> => this.#insert(caller, one);
    return this.#write(caller, function* () {
      if (!(yield* isSourceKnown(caller.id, item.source))) return 'unknown_source';
      const ended = yield* all(endSql, caller.id, id, item.id, Date.parse(item.validFrom));
      if (ended.length === 0) return 'unknown';
      yield* insert({ ...by, item: { ...item, supersedes: id } });
      return 'superseded';
    });
  }

  async change(caller: Caller, id: string, { pinned, status }: MemoryItemChange): Promise<boolean> {
    if (!this.#database.exists) return false;
    const flag = pinned === undefined ? null : Number(pinned);
    return this.#write(caller, function* () {
      const changed = yield* all(changeSql, caller.id, id, flag, status ?? null);
      if (changed.length === 0) return false;
      if (status === 'active') yield* all(endSupersededSql, caller.id, id);
      return true;
    });
  }

  async forget(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]> {
    if (!this.#database.exists) return [];
    const terms = { locks: [lockOf(caller)], durability: 'full', overwrites: true } as const;
    const rows = await this.#database.write(terms, function* () {
      const versions = yield* all(versionsSql, caller.id, JSON.stringify(ids));
      for (const row of versions) yield* all(removeSql, caller.id, String(row['item_id']));
      yield* all(dropCachedSql, caller.id);
      return versions;
    });
    this.#dialect.cleanUp();
    return rows.map((row) => this.#read(row));
  }

  async pendingVectors(limit: number): Promise<readonly PendingVector[]> {
    const rows = await this.#database.rows(pendingSql, limit);
    return rows.map((row) => ({ id: String(row['id']), text: String(row['text']) }));
  }

  async addVectors(
    vectors: readonly { readonly id: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    const encoded = vectors.map(({ id, vector }) => ({ id, bytes: this.#encode(vector) }));
    // Of several callers: never two at once, which could wait for each other.
    const terms = { locks: ['memory vectors'], durability: 'normal' } as const;
    await this.#database.write(terms, function* () {
      for (const { id, bytes } of encoded) yield* all(insertVectorSql, id, bytes);
    });
  }

  async indexTurns(limit: number): Promise<number> {
    if (!this.#database.exists) return 0;
    if (!(await this.#database.read(hasPendingSession))) return 0;
    const terms = { locks: ['memory turns'], durability: 'normal' } as const;
    return this.#database.write(terms, () =>
      indexTurnsOfSession(this.#dialect, limit, this.#database.path),
    );
  }

  async counts(): Promise<MemoryItemCounts> {
    const counts = await this.#database.read(() =>
      countItems(this.#dialect, this.#options.dimensions),
    );
    return { ...counts, problems: [...counts.problems, ...(await this.#dialect.compareIndex())] };
  }

  async erase(): Promise<void> {
    if (this.#database.exists) await this.#dialect.erase();
  }

  *#insert(caller: Caller, { item, vector }: NewMemoryItem): SqlWork<void> {
    const key = yield* insertItem(caller.id, item);
    if (key !== undefined && vector) yield* all(insertVectorSql, item.id, this.#encode(vector));
  }

  #encode(vector: Float32Array): Uint8Array {
    if (vector.length !== this.#options.dimensions) {
      throw new Error(
        `a vector of ${vector.length} numbers instead of ${this.#options.dimensions}`,
      );
    }
    return new Uint8Array(quantize(vector).buffer);
  }

  #read(row: SqlRow): MemoryItem {
    return readItem(row, this.#database.path);
  }

  #write<Result>(caller: Caller, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [lockOf(caller)], durability: 'full' }, work);
  }
}

function lockOf(caller: Caller): string {
  return `memory ${caller.id}`;
}

function* keysOf(caller: Caller, session: string): SqlWork<ReadonlySet<number>> {
  const rows = yield* all(keysOfSessionSql, caller.id, session);
  return new Set(rows.map((row) => readNumber(row, 'item_key')));
}
