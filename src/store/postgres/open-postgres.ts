import { isGone, systemClock, systemTimers } from '../../kernel/index.ts';
import { BackupRefusedError } from '../errors.ts';
import type { Store, StoreOptions } from '../open-store.ts';
import { migrations } from './migrate.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresEffectStore } from './postgres-effect-store.ts';
import { PostgresRunStore } from './postgres-run-store.ts';
import { PostgresStepCache } from './postgres-step-cache.ts';
import { PostgresTraceStore } from './postgres-trace-store.ts';

type ServedPorts = 'path' | 'server' | 'runs' | 'effects' | 'stepCache' | 'traces' | 'backup';

/** The ports that a PostgreSQL database implements. It is connected to at first use. */
export function openPostgresStores(
  options: StoreOptions & { readonly databaseUrl: string },
): Pick<Store, ServedPorts> & { close(): void } {
  const database = new PostgresDatabase({
    url: options.databaseUrl,
    isReadonly: options.readonly ?? false,
    migrations,
    clock: options.clock ?? systemClock,
    patienceMs: options.busyTimeoutMs,
  });
  const runs = new PostgresRunStore(database, {
    clock: options.clock ?? systemTimers,
    sharedClock: options.clock,
    isGone,
    place: options.place,
  });
  return {
    path: database.path,
    server: database,
    runs,
    effects: new PostgresEffectStore(database),
    stepCache: new PostgresStepCache(database),
    traces: new PostgresTraceStore(database, options.traceLimits),
    async backup(target) {
      throw new BackupRefusedError(
        target,
        `it is on a server (${database.path}). Use "pg_dump --format=custom --file=${target} DATABASE_URL"`,
      );
    },
    close() {
      // What is under way is finished; the sockets keep the process until then.
      void runs.close().then(() => database.close());
    },
  };
}
