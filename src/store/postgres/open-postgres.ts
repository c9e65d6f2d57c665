import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isGone, systemClock, systemTimers } from '../../kernel/index.ts';
import { BackupRefusedError } from '../errors.ts';
import type { Store, StoreOptions } from '../open-store.ts';
import { openSqlStores } from '../sql/open-sql-stores.ts';
import { SqlAuditStore } from '../sql/sql-audit-store.ts';
import { SqlSpendingStore } from '../sql/sql-spending-store.ts';
import { migrations } from './migrate.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresEffectStore } from './postgres-effect-store.ts';
import { PostgresMemory } from './postgres-memory.ts';
import { PostgresRunStore } from './postgres-run-store.ts';
import { PostgresSql } from './postgres-sql.ts';
import { PostgresStepCache } from './postgres-step-cache.ts';
import { PostgresTraceStore } from './postgres-trace-store.ts';

/** The store of a PostgreSQL database, which is connected to at first use. */
export function openPostgres(options: StoreOptions & { readonly databaseUrl: string }): Store {
  const clock = options.clock ?? systemClock;
  const database = new PostgresDatabase({
    url: options.databaseUrl,
    isReadonly: options.readonly ?? false,
    migrations,
    clock,
    patienceMs: options.busyTimeoutMs,
  });
  const runs = new PostgresRunStore(database, {
    clock: options.clock ?? systemTimers,
    sharedClock: options.clock,
    isGone,
    place: options.place,
  });
  const sql = new PostgresSql(database);
  return {
    path: database.path,
    server: database,
    runs,
    effects: new PostgresEffectStore(database),
    stepCache: new PostgresStepCache(database),
    traces: new PostgresTraceStore(database, options.traceLimits),
    ...openSqlStores(sql, { clock, leaseClock: options.clock, memory: new PostgresMemory(sql) }),
    spending: new SqlSpendingStore(sql, { clock }),
    audit: new SqlAuditStore(sql, { headFile: auditHeadFile(options.home, database.path) }),
    exists: () => true,
    checkIntegrity: () => ({ ok: true, findings: [] }),
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

/** One for each database that this data directory was used with. */
function auditHeadFile(home: string, address: string): string {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 12);
  return join(home, `postgres-${name}-audit`);
}
