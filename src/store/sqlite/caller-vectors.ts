import { readNumber, type Row } from './run-rows.ts';
import { readTraits } from './memory-rows.ts';
import type { Statements } from './sqlite-database.ts';
import { VectorIndex } from './vector-index.ts';

const traitColumns =
  'i.item_key, i.kind, i.status, i.sensitivity, i.observed_at_ms, i.valid_from_ms, i.valid_until_ms';

const allSql = `
  SELECT ${traitColumns}, v.vector FROM memory_items i JOIN memory_vectors v USING (item_key)
  WHERE i.caller_id = ?`;

const oneSql = `
  SELECT ${traitColumns}, v.vector FROM memory_items i JOIN memory_vectors v USING (item_key)
  WHERE i.caller_id = ? AND i.item_key = ?`;

const endsSql = `
  SELECT (SELECT MIN(number) FROM memory_changes) AS first,
    (SELECT seq FROM sqlite_sequence WHERE name = 'memory_changes') AS last`;

const changesSql = `
  SELECT DISTINCT item_key FROM memory_changes WHERE number > ? AND caller_id = ?`;

/** In all; beyond it the vectors of the callers that searched longest ago are dropped. About 500 bytes each. */
const maxVectors = 200_000;

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
  readonly #known = new Map<string, Known>();

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  /** As of the state of the database that the statements read. */
  of(statements: Statements, callerId: string): VectorIndex {
    const ends = statements(endsSql).get();
    const last = Number(ends?.['last'] ?? 0);
    const first = Number(ends?.['first'] ?? last + 1);
    const known = this.#known.get(callerId);
    // Where changes were dropped that it has not seen, all is read again; so is a database put in place of another.
    const isUsable = known !== undefined && known.upTo + 1 >= first && known.upTo <= last;
    const index = isUsable
      ? this.#update(statements, callerId, known)
      : this.#load(statements, callerId);
    this.#known.delete(callerId);
    this.#known.set(callerId, { index, upTo: last });
    this.#dropOldest();
    return index;
  }

  #load(statements: Statements, callerId: string): VectorIndex {
    const index = new VectorIndex(this.#dimensions);
    for (const row of statements(allSql).iterate(callerId)) this.#take(index, row);
    return index;
  }

  #update(statements: Statements, callerId: string, { index, upTo }: Known): VectorIndex {
    for (const change of statements(changesSql).all(upTo, callerId)) {
      const key = readNumber(change, 'item_key');
      const row = statements(oneSql).get(callerId, key);
      if (row) this.#take(index, row);
      else index.delete(key);
    }
    return index;
  }

  #take(index: VectorIndex, row: Row): void {
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
