import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { migrations } from '../../src/store/sqlite/migrate.ts';
import type { RunStoreOptions } from '../../src/store/sqlite/run-leases.ts';
import type { DatabaseOptions } from '../../src/store/sqlite/open-database.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { SqliteRunStore } from '../../src/store/sqlite/sqlite-run-store.ts';

/** The runs in this file as one process has them, with little patience. Everybody is alive unless said otherwise. */
export function aRunStore(
  path: string,
  options: Partial<RunStoreOptions> & Pick<DatabaseOptions, 'syncFileLater'> = {},
): SqliteRunStore {
  const { syncFileLater, ...store } = options;
  const database = new SqliteDatabase({
    path,
    isReadonly: false,
    migrations,
    clock: systemClock,
    busyTimeoutMs: 20,
    ...(syncFileLater && { syncFileLater }),
  });
  onTestFinished(() => database.close());
  return new SqliteRunStore(database, {
    clock: systemClock,
    isGone: async () => false,
    patienceMs: 200,
    ...store,
  });
}
