import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reportError } from '../../kernel/index.ts';
import { checksumOf, type Migration } from './migrate.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';

/** What was found wrong; nothing found means the store is sound. */
export interface IntegrityReport {
  readonly ok: boolean;
  readonly findings: readonly IntegrityFinding[];
}

export interface IntegrityFinding {
  readonly kind: 'content' | 'reference' | 'migration' | 'permission' | 'unusable';
  readonly message: string;
}

const maxFindings = 100;

/** Reads the whole database, so it takes as long as that does. A damaged file is a finding, not an error. */
export function checkIntegrity(database: SqliteDatabase): IntegrityReport {
  const findings = [...checkPermissions(database.options.path), ...checkContents(database)];
  return { ok: findings.length === 0, findings: findings.slice(0, maxFindings) };
}

function checkContents(database: SqliteDatabase): IntegrityFinding[] {
  try {
    return database.read((statements) => [
      ...checkPages(statements),
      ...checkReferences(statements),
      ...checkMigrations(statements, database.options.migrations),
    ]);
  } catch (error) {
    return [{ kind: 'unusable', message: reportError(error).message }];
  }
}

function checkPages(statements: Statements): IntegrityFinding[] {
  return statements(`PRAGMA integrity_check(${maxFindings})`)
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((message) => message !== 'ok')
    .map((message) => ({ kind: 'content', message }));
}

function checkReferences(statements: Statements): IntegrityFinding[] {
  return statements('PRAGMA foreign_key_check')
    .all()
    .map((row) => ({
      kind: 'reference',
      message: `row ${String(row['rowid'])} of ${String(row['table'])} refers to nothing in ${String(row['parent'])}`,
    }));
}

function checkMigrations(
  statements: Statements,
  migrations: readonly Migration[],
): IntegrityFinding[] {
  const applied = new Map(
    statements('SELECT version, checksum FROM schema_migrations')
      .all()
      .map((row) => [Number(row['version']), row['checksum']]),
  );
  return migrations
    .filter((migration) => applied.get(migration.version) !== checksumOf(migration))
    .map(({ version, name }) => ({
      kind: 'migration',
      message: `the schema step ${version} (${name}) is not the one this program knows`,
    }));
}

function checkPermissions(path: string): IntegrityFinding[] {
  return [dirname(path), path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) return [];
    const shown = (mode & 0o777).toString(8);
    return [
      {
        kind: 'permission',
        message: `${file} is open to others (mode ${shown}): run "chmod go= ${file}"`,
      },
    ];
  });
}
