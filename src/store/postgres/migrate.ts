import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pool, PoolClient } from 'pg';
import { ownFile, type Clock } from '../../kernel/index.ts';
import {
  CorruptDatabaseError,
  DatabaseServerError,
  NewerDatabaseError,
  OlderDatabaseError,
} from '../errors.ts';

/** One step of the schema, never changed once released: databases carry its checksum. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Programs that know the schema up to this version work with it, too: both run during a rolling upgrade. */
  readonly worksFrom: number;
  readonly sql: string;
}

/** In order; `worksFrom` is the version itself unless older programs can go on with what it changes. */
const steps: readonly { readonly name: string; readonly worksFrom?: number }[] = [
  { name: 'runs' },
  { name: 'sessions' },
  { name: 'instances', worksFrom: 2 },
  { name: 'session-folder', worksFrom: 2 },
  { name: 'memory-pinned', worksFrom: 2 },
  { name: 'agent-usage', worksFrom: 2 },
];

/** Every step from an empty database to this program's, in order. */
export const migrations: readonly Migration[] = steps.map(({ name, worksFrom }, index) => ({
  version: index + 1,
  name,
  worksFrom: worksFrom ?? index + 1,
  /** Read when it is needed, which is once in the life of a database. */
  get sql() {
    const file = `${String(index + 1).padStart(4, '0')}-${name}.sql`;
    return readFileSync(ownFile(`store/postgres/migrations/${file}`), 'utf8');
  },
}));

export interface MigrateOptions {
  /** The name of the database in messages. */
  readonly path: string;
  readonly isReadonly: boolean;
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
}

interface SchemaState {
  readonly found: number;
  readonly worksFrom: number;
}

/** The first one with which all that the statements use is there. */
const minServerVersion = 150_000;
/** Of the lock that makes processes migrate one after the other. Any number that no other program uses. */
const lockKey = 7_414_725_101;

const tableSql = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    works_from integer NOT NULL,
    applied_at_ms bigint NOT NULL
  )`;

/** Throws unless this is a PostgreSQL that can hold our data, with a schema this program can work with. */
export async function assertUsable(pool: Pool, options: MigrateOptions): Promise<void> {
  const { rows } = await pool.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
  );
  const [server] = rows;
  if (!server || server.version < minServerVersion) {
    throw new DatabaseServerError(options.path, 'PostgreSQL 15 or newer is needed');
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseServerError(options.path, `its encoding is ${server.encoding}, not UTF8`);
  }
  const { found } = await assertKnown(pool, options);
  const known = options.migrations.at(-1)?.version ?? 0;
  if (options.isReadonly && found < known) {
    throw new OlderDatabaseError(options.path, { found, known });
  }
}

/**
 * Brings the schema forward, one transaction a step, under a lock: processes that race do each step once.
 * Throws `store.newer_database` and changes nothing when the database is ahead of the program, unless its
 * newest step says that it works with programs like this one.
 */
export async function migrate(pool: Pool, options: MigrateOptions): Promise<void> {
  const known = options.migrations.at(-1)?.version ?? 0;
  const { found } = await assertKnown(pool, options);
  if (found >= known) return;
  const client = await pool.connect();
  try {
    for (const migration of options.migrations) {
      if (migration.version > found) await applyOnce(client, migration, options);
    }
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

async function applyOnce(
  client: PoolClient,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  await client.query('BEGIN');
  // Another process may be at a step that takes long.
  await client.query('SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0');
  await client.query(`SELECT pg_advisory_xact_lock(${lockKey})`);
  await client.query(tableSql);
  const { found } = await assertKnown(client, options);
  if (found < migration.version) {
    await client.query(migration.sql);
    await client.query(
      'INSERT INTO schema_migrations (version, name, checksum, works_from, applied_at_ms) VALUES ($1, $2, $3, $4, $5)',
      [
        migration.version,
        migration.name,
        checksumOf(migration),
        migration.worksFrom,
        options.clock.now(),
      ],
    );
  }
  await client.query('COMMIT');
}

async function assertKnown(
  client: Pick<PoolClient, 'query'>,
  options: MigrateOptions,
): Promise<SchemaState> {
  const state = await readState(client);
  const known = options.migrations.at(-1)?.version ?? 0;
  if (state.found > known && state.worksFrom > known) {
    throw new NewerDatabaseError(options.path, { found: state.found, known });
  }
  const newest = options.migrations.find(({ version }) => version === state.found);
  if (newest && state.checksum !== checksumOf(newest)) {
    throw new CorruptDatabaseError(
      options.path,
      `its schema step ${newest.version} (${newest.name}) is not the one this program knows`,
    );
  }
  return state;
}

async function readState(
  client: Pick<PoolClient, 'query'>,
): Promise<SchemaState & { readonly checksum: string }> {
  const none = { found: 0, worksFrom: 0, checksum: '' };
  const { rows: tables } = await client.query<{ here: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS here`,
  );
  if (tables[0]?.here !== true) return none;
  const { rows } = await client.query<{ version: number; works_from: number; checksum: string }>(
    'SELECT version, works_from, checksum FROM schema_migrations ORDER BY version DESC LIMIT 1',
  );
  const [row] = rows;
  return row ? { found: row.version, worksFrom: row.works_from, checksum: row.checksum } : none;
}
