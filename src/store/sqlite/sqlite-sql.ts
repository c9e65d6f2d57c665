import type { SqlDatabase, SqlRow, SqlValue, SqlWork, SqlWrite } from '../sql/sql-database.ts';
import { overwriting, type SqliteDatabase, type Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

export interface SqliteSqlOptions {
  /** How long a write waits for other processes in all, without blocking the event loop. */
  readonly patienceMs: number;
  /** How long one attempt waits, which blocks the event loop. */
  readonly busyTimeoutMs?: number;
}

const defaultBusyTimeoutMs = 250;

/** The statements of both databases in SQLite: no other work of this process comes between those of one transaction. */
export class SqliteSql implements SqlDatabase {
  readonly #database: SqliteDatabase;
  readonly #options: SqliteSqlOptions;

  constructor(database: SqliteDatabase, options: SqliteSqlOptions) {
    this.#database = database;
    this.#options = options;
  }

  get path(): string {
    return this.#database.options.path;
  }

  get exists(): boolean {
    return this.#database.exists;
  }

  async rows(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!this.exists) return [];
    return this.#database.readOne((statements) => statements(sql).all(...values));
  }

  async read<Result>(work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.read((statements) => run(statements, work()));
  }

  write<Result>(
    { durability, overwrites = false }: SqlWrite,
    work: () => SqlWork<Result>,
  ): Promise<Result> {
    const { patienceMs, busyTimeoutMs = defaultBusyTimeoutMs } = this.#options;
    return whileStoreBusy(patienceMs, () =>
      this.#database.write({ durability, busyTimeoutMs }, (statements) => {
        const begin = (): Result => run(statements, work());
        return overwrites ? overwriting(statements, begin) : begin();
      }),
    );
  }
}

function run<Result>(statements: Statements, work: SqlWork<Result>): Result {
  let step = work.next();
  while (step.done !== true) {
    const { sql, values } = step.value;
    step = work.next(statements(sql).all(...values));
  }
  return step.value;
}
