import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../kernel/index.ts';
import { BackupFailedError, BackupRefusedError, CorruptDatabaseError } from '../errors.ts';

export interface BackupOrder {
  /** The database to copy. */
  readonly path: string;
  readonly target: string;
  /** Replaces a file that stands at the target; never one of the database itself. */
  readonly force: boolean;
}

/** The copy is made in one step: with several, a busy writer would make it start over again and again. */
const pagesPerStep = 1_000_000_000;

/** What SQLite puts behind the name of a database for the files that belong to it. */
const databaseSuffixes = ['', '-wal', '-shm', '-journal'] as const;

/** Copies a database that others may be using. The target appears whole and checked, or not at all. */
export async function backupDatabase(order: BackupOrder): Promise<void> {
  const target = resolve(order.target);
  if (belongsTo(order.path, target)) {
    const reason = 'that is the database itself or a file that belongs to it. Name another file';
    throw new BackupRefusedError(target, reason);
  }
  if (!order.force) refuseIfThere(target);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    await copyTo(order.path, draft);
    makeSelfContained(draft);
    syncToDisk(draft, 'r+');
    place(draft, target, order.force);
    // Windows keeps names safe by itself and does not open directories.
    if (process.platform !== 'win32') syncToDisk(dirname(target), 'r');
  } catch (error) {
    throw error instanceof AppError ? error : new BackupFailedError(target, error);
  } finally {
    for (const suffix of databaseSuffixes) {
      rmSync(`${draft}${suffix}`, { force: true });
    }
  }
}

async function copyTo(path: string, draft: string): Promise<void> {
  // The file is made first so that no other user can read it at any time.
  closeSync(openSync(draft, 'wx', 0o600));
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(source, draft, { rate: pagesPerStep });
  } finally {
    source.close();
  }
}

/** Checks the copy and folds everything into the one file. */
function makeSelfContained(draft: string): void {
  const copy = new DatabaseSync(draft);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const result = copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (result !== 'ok') throw new CorruptDatabaseError(draft, result);
  } finally {
    copy.close();
  }
  chmodSync(draft, 0o600);
}

/** A link, unlike a rename, fails when a file was created there meanwhile. */
function place(draft: string, target: string, force: boolean): void {
  if (force) return renameSync(draft, target);
  try {
    linkSync(draft, target);
  } catch (error) {
    refuseIfThere(target);
    // Some file systems have no links.
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    renameSync(draft, target);
  }
}

function refuseIfThere(target: string): void {
  if (!lstatSync(target, { throwIfNoEntry: false })) return;
  throw new BackupRefusedError(target, 'the file exists already. Name another one, or say --force');
}

function belongsTo(path: string, target: string): boolean {
  const database = withoutLinks(path);
  const wanted = withoutLinks(target);
  return databaseSuffixes.some((suffix) => withoutLinks(`${database}${suffix}`) === wanted);
}

/** The path with links followed, also when there is no such file yet. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const directory = dirname(path);
    return directory === path ? path : join(withoutLinks(directory), basename(path));
  }
}

function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
