import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { migrations as postgresMigrations } from '../../src/store/postgres/migrate.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { PostgresMemory } from '../../src/store/postgres/postgres-memory.ts';
import { PostgresSql } from '../../src/store/postgres/postgres-sql.ts';
import type {
  SqlDatabase,
  SqlRow,
  SqlValue,
  SqlWork,
  SqlWrite,
} from '../../src/store/sql/sql-database.ts';
import type { MemoryDialect } from '../../src/store/sql/sql-memory-item-store.ts';
import { migrations } from '../../src/store/sqlite/migrate.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { SqliteMemory } from '../../src/store/sqlite/sqlite-memory.ts';
import { SqliteSql } from '../../src/store/sqlite/sqlite-sql.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { postgresSkipReason } from './a-postgres.ts';
import { createSharedDatabase } from './shared-postgres.ts';

/** One process's connection to a database. */
export interface SqlProcess {
  readonly sql: SqlDatabase;
  readonly memory: MemoryDialect;
}

/** An empty database: each call is another process that uses it. */
export type SqlWorld = () => SqlProcess;

/** Both databases, for `describe.each`; PostgreSQL only where there is one. */
export const sqlWorlds: readonly (readonly [string, () => SqlWorld])[] = [
  ['SQLite', aSqliteWorld],
  ...(postgresSkipReason === null ? [['PostgreSQL', aPostgresWorld] as const] : []),
];

function aSqliteWorld(): SqlWorld {
  const path = join(aDirectory(), 'tutti.db');
  return () => {
    const options = {
      path,
      isReadonly: false,
      migrations,
      clock: systemClock,
      busyTimeoutMs: 1_000,
    };
    const database = new SqliteDatabase(options);
    onTestFinished(() => database.close());
    const patience = { patienceMs: 1_000 };
    return { sql: new SqliteSql(database, patience), memory: new SqliteMemory(database, patience) };
  };
}

function aPostgresWorld(): SqlWorld {
  const url = createSharedDatabase('schema');
  return () => {
    const opened = url.then(
      (it) =>
        new PostgresDatabase({
          url: it,
          isReadonly: false,
          migrations: postgresMigrations,
          clock: systemClock,
          patienceMs: 2_000,
          maxConnections: 4,
        }),
    );
    onTestFinished(() => opened.then((database) => database.close()));
    const sql = new LaterSql(opened.then((database) => new PostgresSql(database)));
    return { sql, memory: new PostgresMemory(sql) };
  };
}

/** A database whose address is not known yet: suites make their stores at once. */
class LaterSql implements SqlDatabase {
  readonly path = 'a database of the tests';
  readonly exists = true;
  readonly #database: Promise<SqlDatabase>;

  constructor(database: Promise<SqlDatabase>) {
    this.#database = database;
  }

  async rows(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return (await this.#database).rows(sql, ...values);
  }

  async read<Result>(work: () => SqlWork<Result>): Promise<Result> {
    return (await this.#database).read(work);
  }

  async write<Result>(terms: SqlWrite, work: () => SqlWork<Result>): Promise<Result> {
    return (await this.#database).write(terms, work);
  }
}
