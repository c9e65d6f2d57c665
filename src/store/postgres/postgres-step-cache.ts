import type { CachedResult, CacheKey, StepCache } from '../../workflow/effects/index.ts';
import { readHeld } from '../sqlite/sqlite-step-cache.ts';
import { Batches } from './batches.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const findSql = `
  SELECT held, stored_at_ms FROM step_cache WHERE caller_id = $1 AND tool = $2 AND arguments_digest = $3`;

const putSql = `
  INSERT INTO step_cache (caller_id, tool, arguments_digest, held, stored_at_ms)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  ON CONFLICT (caller_id, tool, arguments_digest)
  DO UPDATE SET held = EXCLUDED.held, stored_at_ms = EXCLUDED.stored_at_ms`;

const deleteSql = (which: string): string => `
  DELETE FROM step_cache WHERE (caller_id, tool, arguments_digest) IN (
    SELECT caller_id, tool, arguments_digest FROM step_cache ${which}) RETURNING 1`;

const pruneSql = deleteSql('WHERE stored_at_ms < $1 ORDER BY stored_at_ms LIMIT $2');

const trimSql = deleteSql(`
  ORDER BY stored_at_ms LIMIT LEAST($2::bigint, GREATEST(0, (SELECT COUNT(*) FROM step_cache) - $1::bigint))`);

/** Rows removed in one transaction, so that others wait milliseconds for it. */
const pruneBatch = 500;

interface Put {
  readonly key: CacheKey;
  readonly result: CachedResult;
}

/** Keeps results of read-only calls in PostgreSQL. Losing the last ones with the power is fine. */
export class PostgresStepCache implements StepCache {
  readonly #database: PostgresDatabase;
  readonly #puts = new Batches((puts: readonly Put[]) => this.#putAll(puts));

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async find({ callerId, tool, argumentsDigest }: CacheKey): Promise<CachedResult | undefined> {
    const [row] = await this.#database.query<{ held: string; stored_at_ms: number }>(findSql, [
      callerId,
      tool,
      argumentsDigest,
    ]);
    const held = row && readHeld(row.held);
    return held && { held, storedAtMs: row.stored_at_ms };
  }

  put(key: CacheKey, result: CachedResult): Promise<void> {
    return this.#puts.add({ key, result });
  }

  async #putAll(puts: readonly Put[]): Promise<readonly undefined[]> {
    // One statement may write a row once: the last of each.
    const last = new Map(
      puts.map((put) => [
        JSON.stringify([put.key.callerId, put.key.tool, put.key.argumentsDigest]),
        put,
      ]),
    );
    const rows = [...last.values()];
    const cells = [
      rows.map(({ key }) => key.callerId),
      rows.map(({ key }) => key.tool),
      rows.map(({ key }) => key.argumentsDigest),
      rows.map(({ result }) => JSON.stringify(result.held)),
      rows.map(({ result }) => result.storedAtMs),
    ];
    await this.#database.transaction(({ query }) => query(putSql, cells), {
      durability: 'soon',
      // Written again it is the same.
      isKept: async () => false,
    });
    return puts.map(() => undefined);
  }

  async prune(bounds: { readonly beforeMs: number; readonly maxEntries: number }): Promise<number> {
    const old = await this.#inRounds(pruneSql, bounds.beforeMs);
    return old + (await this.#inRounds(trimSql, bounds.maxEntries));
  }

  /** Ends because each round removes rows that fit a fixed bound, and the last removes none. */
  async #inRounds(sql: string, bound: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.#database.transaction(
        ({ query }) => query(sql, [bound, pruneBatch]),
        {
          durability: 'soon',
        },
      );
      removed += rows.length;
      if (rows.length === 0) return removed;
    }
  }
}
