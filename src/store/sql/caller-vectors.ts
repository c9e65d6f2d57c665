import { readNumber } from '../sqlite/run-rows.ts';
import { readTraits } from './memory-rows.ts';
import { all, type SqlRow, type SqlWork } from './sql-database.ts';
import { VectorIndex } from './vector-index.ts';

const traitColumns =
  'i.item_key, i.kind, i.status, i.sensitivity, i.observed_at_ms, i.valid_from_ms, i.valid_until_ms';

/** In the order of an index, some at a time. */
const pageSql = `
  SELECT ${traitColumns}, v.vector FROM memory_items i LEFT JOIN memory_vectors v USING (item_key)
  WHERE i.caller_id = $1 AND (i.observed_at_ms, i.item_key) > ($2, $3)
  ORDER BY i.observed_at_ms, i.item_key LIMIT $4`;
const pageSize = 5_000;

const changedSql = `
  SELECT DISTINCT item_key FROM memory_changes WHERE caller_id = $1 AND number > $2`;
const changedItemsSql = `
  SELECT ${traitColumns}, v.vector FROM memory_items i JOIN memory_vectors v USING (item_key)
  WHERE i.caller_id = $1 AND i.item_key IN (${changedSql})`;

/** In all; beyond it the vectors of the callers that searched longest ago are dropped. About 500 bytes each. */
const maxVectors = 200_000;

/** Numbers of the first change that is kept and of the last one, so far as they concern this caller. */
export type MemoryChanges = (
  callerId: string,
) => SqlWork<{ readonly first: number; readonly last: number }>;

interface Known {
  readonly index: VectorIndex;
  /** Number of the last change that it has. */
  upTo: number;
}

/**
 * Vectors of callers in the memory of this process, one index each: a search of one caller cannot come across
 * vectors of another. Before every use it takes in what any process has changed since.
 */
export class CallerVectors {
  readonly #dimensions: number;
  readonly #changes: MemoryChanges;
  readonly #known = new Map<string, Known>();

  constructor(dimensions: number, changes: MemoryChanges) {
    this.#dimensions = dimensions;
    this.#changes = changes;
  }

  /** As of the state of the database that is read. */
  *of(callerId: string): SqlWork<VectorIndex> {
    const { first, last } = yield* this.#changes(callerId);
    const known = this.#known.get(callerId);
    // Where changes were dropped that it has not seen, all is read again; so is a database put in place of another.
    const isUsable = known !== undefined && known.upTo + 1 >= first && known.upTo <= last;
    const index = isUsable ? known.index : new VectorIndex(this.#dimensions);
    if (isUsable && known.upTo < last) yield* this.#update(callerId, known);
    else if (!isUsable) yield* this.#load(callerId, index);
    this.#known.delete(callerId);
    this.#known.set(callerId, { index, upTo: last });
    this.#dropOldest();
    return index;
  }

  *#load(callerId: string, index: VectorIndex): SqlWork<void> {
    let after: readonly [number, number] = [Number.MIN_SAFE_INTEGER, 0];
    for (;;) {
      const rows = yield* all(pageSql, callerId, ...after, pageSize);
      for (const row of rows) this.#take(index, row);
      const last = rows.at(-1);
      if (!last || rows.length < pageSize) return;
      after = [readNumber(last, 'observed_at_ms'), readNumber(last, 'item_key')];
    }
  }

  *#update(callerId: string, { index, upTo }: Known): SqlWork<void> {
    const changed = yield* all(changedSql, callerId, upTo);
    const rows = yield* all(changedItemsSql, callerId, upTo);
    const kept = new Set(rows.map((row) => row['item_key']));
    for (const row of rows) this.#take(index, row);
    for (const { item_key: key } of changed) if (!kept.has(key)) index.delete(Number(key));
  }

  #take(index: VectorIndex, row: SqlRow): void {
    const { vector } = row;
    // One of another length was damaged, or made by another model: doctor names it, and it is not compared.
    if (!(vector instanceof Uint8Array) || vector.length !== this.#dimensions) return;
    const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length);
    index.set(readNumber(row, 'item_key'), numbers, readTraits(row));
  }

  #dropOldest(): void {
    let total = 0;
    for (const { index } of this.#known.values()) total += index.size;
    for (const [callerId, { index }] of this.#known) {
      if (total <= maxVectors || this.#known.size === 1) return;
      this.#known.delete(callerId);
      total -= index.size;
    }
  }
}
