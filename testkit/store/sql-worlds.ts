import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import type { SqlDatabase } from '../../src/store/sql/sql-database.ts';
import type { MemoryDialect } from '../../src/store/sql/sql-memory-item-store.ts';
import { migrations } from '../../src/store/sqlite/migrate.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { SqliteMemory } from '../../src/store/sqlite/sqlite-memory.ts';
import { SqliteSql } from '../../src/store/sqlite/sqlite-sql.ts';
import { aDirectory } from '../observe/a-directory.ts';

/** One process's connection to a database. */
export interface SqlProcess {
  readonly sql: SqlDatabase;
  readonly memory: MemoryDialect;
}

/** An empty database: each call is another process that uses it. */
export type SqlWorld = () => SqlProcess;

/** The databases, for `describe.each`. */
export const sqlWorlds: readonly (readonly [string, () => SqlWorld])[] = [['SQLite', aSqliteWorld]];

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
