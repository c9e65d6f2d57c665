import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ownFile } from '../../kernel/index.ts';
import { NewerDatabaseError } from '../errors.ts';

/** One step of the schema, never changed once released: databases carry its checksum. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const names = [
  'spans',
  'span-caller',
  'span-batches',
  'runs',
  'effects',
  'artifact-makers',
  'run-keys',
  'sessions',
  'spending',
  'session-tasks',
  'approval-previews',
  'effect-dispatchers',
  'api-keys',
  'audit',
  'logins',
  'api-answers',
  'memory-items',
  'contexts',
  'feedback',
  'preference-history',
  'experience',
  'agent-choices',
  'delegations',
  'models',
  'memory-derived',
  'client-sessions',
  'instances',
  'session-folder',
  'memory-pinned',
  'agent-usage',
];

/** Every step from an empty database to this program's, in order. */
export const migrations: readonly Migration[] = names.map((name, index) => ({
  version: index + 1,
  name,
  /** Read when it is needed, which is once in the life of a database. */
  get sql() {
    const file = `${String(index + 1).padStart(4, '0')}-${name}.sql`;
    return readFileSync(ownFile(`store/sqlite/migrations/${file}`), 'utf8');
  },
}));

export interface MigrateOptions {
  readonly path: string;
  readonly migrations: readonly Migration[];
  readonly nowMs: number;
}

/**
 * Brings the schema forward in one transaction: a new database waits for the disk once, and a step that fails leaves the database as it
 * was. Processes that race do each step once: the version is read again under the write lock. Throws `store.newer_database` and changes
 * nothing when the database is ahead of the program.
 */
export function migrate(database: DatabaseSync, options: MigrateOptions): void {
  const found = assertKnown(readVersion(database), options);
  const missing = options.migrations.filter(({ version }) => version > found);
  if (missing.length === 0) return;
  // A schema half on disk after a power cut is worse than a slow first start.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('BEGIN IMMEDIATE');
  try {
    const current = assertKnown(readVersion(database), options);
    for (const migration of missing) {
      if (migration.version > current) apply(database, migration, options);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  database.exec('PRAGMA synchronous = NORMAL');
}

function assertKnown(found: number, { path, migrations: all }: MigrateOptions): number {
  const known = all.at(-1)?.version ?? 0;
  if (found > known) throw new NewerDatabaseError(path, { found, known });
  return found;
}

export function readVersion(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA user_version').get();
  return Number(row?.['user_version'] ?? 0);
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

function apply(database: DatabaseSync, migration: Migration, { nowMs }: MigrateOptions): void {
  const { version, name, sql } = migration;
  database.exec(sql);
  database
    .prepare(
      'INSERT INTO schema_migrations (version, name, checksum, applied_at_ms) VALUES (?, ?, ?, ?)',
    )
    .run(version, name, checksumOf(migration), nowMs);
  database.exec(`PRAGMA user_version = ${version}`);
}
