import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { ScopeSpending, Spending, SpendingStore } from '../../models/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const addSql = `
  INSERT INTO spending (caller_id, scope, tokens, usd, updated_at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, usd = usd + excluded.usd,
                            updated_at_ms = excluded.updated_at_ms`;

const linkSql = `
  INSERT INTO spending (caller_id, scope, tokens, usd, parent, updated_at_ms) VALUES (?, ?, 0, 0, ?, ?)
  ON CONFLICT DO UPDATE SET parent = excluded.parent, updated_at_ms = excluded.updated_at_ms`;

/** A scope, and up to eight others it counts against: links that lead round in a circle end, too. */
const lineSql = `
  WITH RECURSIVE line (scope, depth) AS (
    SELECT CAST(? AS TEXT), 0
    UNION
    SELECT spending.parent, line.depth + 1 FROM line JOIN spending
      ON spending.caller_id = ? AND spending.scope = line.scope
    WHERE spending.parent IS NOT NULL AND line.depth < 8
  )
  SELECT line.scope, COALESCE(spending.tokens, 0) AS tokens, COALESCE(spending.usd, 0) AS usd
  FROM line LEFT JOIN spending ON spending.caller_id = ? AND spending.scope = line.scope
  ORDER BY line.depth`;

const forgetSql = 'DELETE FROM spending WHERE updated_at_ms < ?';
const keptMs = 400 * 24 * 3_600_000;

export interface SpendingStoreOptions {
  readonly clock: Clock;
  /** How long a write waits for other processes in all, without blocking the event loop. */
  readonly patienceMs: number;
}

/** Waiting blocks the event loop, with all answers that are being read: only shortly per attempt. */
const terms = { durability: 'normal', busyTimeoutMs: 50 } as const;

/** Keeps in SQLite what models used; what was not added to for more than a year is removed. */
export class SqliteSpendingStore implements SpendingStore {
  readonly #database: SqliteDatabase;
  readonly #options: SpendingStoreOptions;

  constructor(database: SqliteDatabase, options: SpendingStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  async spentBy(caller: Caller, scopes: readonly string[]): Promise<readonly ScopeSpending[]> {
    const rows = this.#database.read((statements) =>
      scopes.flatMap((scope) => statements(lineSql).all(scope, caller.id, caller.id)),
    );
    const spent = new Map<string, ScopeSpending>();
    for (const row of rows) {
      const scope = String(row['scope']);
      spent.set(scope, { scope, tokens: Number(row['tokens']), usd: Number(row['usd']) });
    }
    return [...spent.values()];
  }

  async add(caller: Caller, scopes: readonly string[], { tokens, usd }: Spending): Promise<void> {
    const now = this.#options.clock.now();
    await this.#write((statements) => {
      for (const scope of scopes) {
        statements(addSql).run(caller.id, scope, Math.round(tokens), usd, now);
      }
    });
  }

  async link(caller: Caller, child: string, parent: string): Promise<void> {
    const now = this.#options.clock.now();
    await this.#write((statements) => {
      statements(linkSql).run(caller.id, child, parent, now);
      statements(forgetSql).run(now - keptMs);
    });
  }

  #write(work: (statements: Statements) => void): Promise<void> {
    const { patienceMs } = this.#options;
    return whileStoreBusy(patienceMs, () => this.#database.write(terms, work));
  }
}
