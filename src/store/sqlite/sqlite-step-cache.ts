import type { CachedResult, CacheKey, StepCache } from '../../workflow/effects/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { WriteGroup } from './write-group.ts';

const findSql = `
  SELECT held, stored_at_ms FROM step_cache WHERE caller_id = ? AND tool = ? AND arguments_digest = ?`;

const putSql = `
  INSERT OR REPLACE INTO step_cache (caller_id, tool, arguments_digest, held, stored_at_ms)
  VALUES (?, ?, ?, ?, ?)`;

const pruneSql = `
  DELETE FROM step_cache WHERE (caller_id, tool, arguments_digest) IN (
    SELECT caller_id, tool, arguments_digest FROM step_cache WHERE stored_at_ms < ?
    ORDER BY stored_at_ms LIMIT ?)`;

const trimSql = `
  DELETE FROM step_cache WHERE (caller_id, tool, arguments_digest) IN (
    SELECT caller_id, tool, arguments_digest FROM step_cache
    ORDER BY stored_at_ms LIMIT MIN(?, MAX(0, (SELECT COUNT(*) FROM step_cache) - ?)))`;

/** Rows removed in one transaction, so that others wait milliseconds for it. */
const pruneBatch = 500;

/** Keeps results of read-only calls in SQLite. Losing the last ones with the power is fine. */
export class SqliteStepCache implements StepCache {
  readonly #database: SqliteDatabase;
  readonly #group: WriteGroup;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#group = new WriteGroup(database);
  }

  async find({ callerId, tool, argumentsDigest }: CacheKey): Promise<CachedResult | undefined> {
    const row = this.#database.read((statements) =>
      statements(findSql).get(callerId, tool, argumentsDigest),
    );
    const held = row && readHeld(row['held']);
    return held && { held, storedAtMs: Number(row?.['stored_at_ms']) };
  }

  async put(
    { callerId, tool, argumentsDigest }: CacheKey,
    { held, storedAtMs }: CachedResult,
  ): Promise<void> {
    const text = JSON.stringify(held);
    await this.#group.write('normal', (statements) => {
      statements(putSql).run(callerId, tool, argumentsDigest, text, storedAtMs);
    });
  }

  async prune(bounds: { readonly beforeMs: number; readonly maxEntries: number }): Promise<number> {
    const old = await this.#inRounds(pruneSql, [bounds.beforeMs, pruneBatch]);
    return old + (await this.#inRounds(trimSql, [pruneBatch, bounds.maxEntries]));
  }

  /** Ends because each round removes rows that fit a fixed bound, and the last removes none. */
  async #inRounds(sql: string, bounds: readonly [number, number]): Promise<number> {
    let removed = 0;
    for (;;) {
      const now = await this.#group.write('normal', (statements) =>
        Number(statements(sql).run(...bounds).changes),
      );
      removed += now;
      if (now === 0) return removed;
    }
  }
}

/** What cannot be read counts as not there: the call is made again. */
export function readHeld(text: unknown): CachedResult['held'] | undefined {
  try {
    const held: unknown = JSON.parse(String(text));
    const isHeld =
      typeof held === 'object' && held !== null && ('value' in held || 'artifact' in held);
    // Only this store writes the column, from the same type.
    return isHeld ? (held as CachedResult['held']) : undefined;
  } catch {
    return undefined;
  }
}
