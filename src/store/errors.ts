import { AppError } from '../kernel/index.ts';

/** The database was written by a program that knows more than this one. */
export class NewerDatabaseError extends AppError {
  readonly code = 'store.newer_database';

  constructor(path: string, versions: { readonly found: number; readonly known: number }) {
    super(
      `The database ${path} has version ${versions.found}, and this program knows versions up to ${versions.known}. ` +
        'Update Tutti, or set TUTTI_HOME to another directory',
      { details: { path, ...versions } },
    );
  }
}

/** The database is older than the program and may not be changed, because it was opened for reading only. */
export class OlderDatabaseError extends AppError {
  readonly code = 'store.older_database';

  constructor(path: string, versions: { readonly found: number; readonly known: number }) {
    super(
      `The database ${path} has version ${versions.found} and must be brought to ${versions.known} first. ` +
        'Run any command that writes, for example "tutti backup FILE"',
      { details: { path, ...versions } },
    );
  }
}

/** The file is damaged or is no database. */
export class CorruptDatabaseError extends AppError {
  readonly code = 'store.corrupt';

  constructor(path: string, cause: unknown) {
    super(
      `The database ${path} is damaged or is not a database (${reasonOf(cause)}). ` +
        `To restore a backup: stop every Tutti, move ${path}, ${path}-wal, ${path}-shm, ${path}-last and ${path}-audit away, ` +
        `copy the backup to ${path} and start again`,
      { details: { path }, cause },
    );
  }
}

/** An acknowledged write is missing: the database was emptied, or its log was cut or removed. */
export class LostWritesError extends AppError {
  readonly code = 'store.lost_writes';

  constructor(path: string, mark: string, runId: string) {
    super(
      `The database ${path} has lost writes: run ${runId} was stored and is not in it. It was emptied or replaced, or ${path}-wal was cut or deleted. ` +
        `Bring back what was removed, or restore a backup. To go on with what is left, remove ${mark}`,
      { details: { path, mark, runId } },
    );
  }
}

/** The directory or the file cannot be opened, read or written. */
export class StoreUnavailableError extends AppError {
  readonly code = 'store.unavailable';

  constructor(path: string, cause: unknown) {
    super(
      `The database ${path} could not be used (${reasonOf(cause)}); nothing was changed. ` +
        'Check that its directory exists, belongs to you and is writable',
      { details: { path }, cause },
    );
  }
}

/** The database server cannot be reached, refuses us, or is none we can use. */
export class DatabaseServerError extends AppError {
  readonly code = 'store.unavailable';
  override readonly retryable: boolean;

  /** `isWritten`: whether what was attempted is kept; of what is unknown nothing may be done again. */
  constructor(path: string, cause: unknown, isWritten: false | 'unknown' = false) {
    const consequence = isWritten
      ? 'what was to be written may or may not be there'
      : 'nothing was changed';
    super(
      `The database ${path} could not be used (${reasonOf(cause)}); ${consequence}. ` +
        'Check that the server runs and can be reached from here, and the address in database_url (MCP_DATABASE_URL)',
      { details: { path }, cause },
    );
    this.retryable = !isWritten;
  }
}

export class DiskFullError extends AppError {
  readonly code = 'store.disk_full';
  override readonly retryable = true;

  constructor(path: string, cause: unknown) {
    super(
      `The database ${path} could not be written: the disk is full. Nothing was changed; free some space and try again`,
      {
        details: { path },
        cause,
      },
    );
  }
}

/** Other processes kept the database locked for longer than a write waits. */
export class StoreBusyError extends AppError {
  readonly code = 'store.busy';
  override readonly retryable = true;

  constructor(path: string, cause: unknown) {
    super(
      `The database ${path} stayed locked by another process for longer than a write waits. Nothing was changed; try again`,
      { details: { path }, cause },
    );
  }
}

/** A backup would replace a file, or the database itself. */
export class BackupRefusedError extends AppError {
  readonly code = 'store.backup_refused';

  constructor(target: string, reason: string) {
    super(`The database was not backed up to ${target}: ${reason}`, { details: { target } });
  }
}

export class BackupFailedError extends AppError {
  readonly code = 'store.backup_failed';

  constructor(target: string, cause: unknown) {
    super(
      `The database could not be backed up to ${target} (${reasonOf(cause)}); no file was left there. ` +
        'Check that the directory exists and has free space',
      { details: { target }, cause },
    );
  }
}

/** Moving would mix the data of two databases, or there is nothing to move. */
export class MoveRefusedError extends AppError {
  readonly code = 'store.move_refused';

  constructor(path: string, reason: string) {
    super(
      `The store was not moved: ${path} cannot take part, because ${reason}. Nothing was changed`,
      { details: { path } },
    );
  }
}

/** The copy is not what it was made from; it was not kept. */
export class MoveFailedError extends AppError {
  readonly code = 'store.move_failed';

  constructor(from: string, to: string, what: string) {
    super(
      `The store was not moved from ${from} to ${to}: ${what}, or they differ. Nothing was changed`,
      { details: { from, to } },
    );
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
