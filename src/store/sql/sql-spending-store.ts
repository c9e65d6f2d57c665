import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { ScopeSpending, Spending, SpendingStore } from '../../models/index.ts';
import { all, type SqlDatabase, type SqlWork } from './sql-database.ts';

const addSql = `
  INSERT INTO spending (caller_id, scope, tokens, usd, updated_at_ms) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (caller_id, scope) DO UPDATE SET tokens = spending.tokens + excluded.tokens,
    usd = spending.usd + excluded.usd, updated_at_ms = excluded.updated_at_ms`;

const linkSql = `
  INSERT INTO spending (caller_id, scope, tokens, usd, parent, updated_at_ms) VALUES ($1, $2, 0, 0, $3, $4)
  ON CONFLICT (caller_id, scope) DO UPDATE SET parent = excluded.parent, updated_at_ms = excluded.updated_at_ms`;

/** A scope, and up to eight others it counts against: links that lead round in a circle end, too. */
const lineSql = `
  WITH RECURSIVE line (scope, depth) AS (
    SELECT CAST($1 AS TEXT), 0
    UNION
    SELECT spending.parent, line.depth + 1 FROM line JOIN spending
      ON spending.caller_id = $2 AND spending.scope = line.scope
    WHERE spending.parent IS NOT NULL AND line.depth < 8
  )
  SELECT line.scope, COALESCE(spending.tokens, 0) AS tokens, COALESCE(spending.usd, 0) AS usd
  FROM line LEFT JOIN spending ON spending.caller_id = $2 AND spending.scope = line.scope
  ORDER BY line.depth`;

const forgetSql = 'DELETE FROM spending WHERE updated_at_ms < $1';
const keptMs = 400 * 24 * 3_600_000;

/** Keeps what models used; what was not added to for more than a year is removed. */
export class SqlSpendingStore implements SpendingStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, { clock }: { readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async spentBy(caller: Caller, scopes: readonly string[]): Promise<readonly ScopeSpending[]> {
    return this.#database.read(function* () {
      const spent = new Map<string, ScopeSpending>();
      for (const asked of scopes) {
        for (const row of yield* all(lineSql, asked, caller.id)) {
          const scope = String(row['scope']);
          spent.set(scope, { scope, tokens: Number(row['tokens']), usd: Number(row['usd']) });
        }
      }
      return [...spent.values()];
    });
  }

  async add(caller: Caller, scopes: readonly string[], { tokens, usd }: Spending): Promise<void> {
    const now = this.#clock.now();
    await this.#write(caller, function* () {
      for (const scope of scopes) {
        yield* all(addSql, caller.id, scope, Math.round(tokens), usd, now);
      }
    });
  }

  async link(caller: Caller, child: string, parent: string): Promise<void> {
    const now = this.#clock.now();
    await this.#write(caller, function* () {
      yield* all(linkSql, caller.id, child, parent, now);
      yield* all(forgetSql, now - keptMs);
    });
  }

  #write(caller: Caller, work: () => SqlWork<void>): Promise<void> {
    return this.#database.write({ locks: [`spending ${caller.id}`], durability: 'normal' }, work);
  }
}
