import { onTestFinished } from 'vitest';
import type { PostgresRunStoreOptions } from '../../src/store/postgres/run-leases.ts';
import { PostgresRunStore } from '../../src/store/postgres/postgres-run-store.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { migrations } from '../../src/store/postgres/migrate.ts';
import {
  PostgresDatabase,
  type PostgresOptions,
} from '../../src/store/postgres/postgres-database.ts';
import { isCi } from '../sample.ts';
import { postgresMissing } from './postgres-server.ts';
import { createSharedDatabase } from './shared-postgres.ts';

/** Why tests on PostgreSQL are skipped here, for their name; null where they run. */
export const postgresSkipReason = postgresMissing();
if (isCi && postgresSkipReason !== null) throw new Error(postgresSkipReason);

/** An empty database unless an address is given, with the schema of this program; closed when the running test has finished. */
export async function aPostgresDatabase(
  options: Partial<PostgresOptions> = {},
): Promise<PostgresDatabase> {
  const database = new PostgresDatabase({
    url: options.url ?? (await createSharedDatabase(options.migrations ? 'nothing' : 'schema')),
    isReadonly: false,
    migrations,
    clock: systemClock,
    patienceMs: 2_000,
    maxConnections: 4,
    ...options,
  });
  onTestFinished(() => database.close());
  return database;
}

/** The runs in this database as one process has them. Everybody is alive unless said otherwise. */
export async function aPostgresRunStore(
  options: Partial<PostgresRunStoreOptions> & { readonly url?: string } = {},
): Promise<PostgresRunStore> {
  const { url, ...parts } = options;
  const database = await aPostgresDatabase(url === undefined ? {} : { url });
  const store = new PostgresRunStore(database, {
    clock: systemClock,
    isGone: async () => false,
    ...parts,
  });
  onTestFinished(() => store.close());
  return store;
}
