import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, AppError } from '../../kernel/index.ts';
import {
  NewerDatabaseError,
  OlderDatabaseError,
  StoreUnavailableError,
  CorruptDatabaseError,
  DiskFullError,
  StoreBusyError,
} from '../errors.ts';
import { assertNothingLost } from './last-fact.ts';
import { migrate, readVersion, type Migration } from './migrate.ts';

export interface DatabaseOptions {
  readonly path: string;
  readonly isReadonly: boolean;
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
  /** How long a write waits for another process to finish its own. */
  readonly busyTimeoutMs: number;
  /** Waits until what a file holds is on the disk; the system's own way unless another is given. */
  readonly syncFile?: (file: number) => void;
  readonly syncFileLater?: (file: number) => Promise<void>;
}

const retryPauseMs = 20;

/** Opens the database, creates it when it may, and brings its schema to what the program knows. */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  return options.isReadonly ? openForReading(options) : openForWriting(options);
}

/** 16 MB: pages that change all the time, those of indexes, are copied back a fourth as often as by default. */
const checkpointPages = 4_000;

function openForWriting(options: DatabaseOptions): DatabaseSync {
  createFile(options.path);
  const database = connect(options);
  try {
    whileBusy(options, () => useWriteAheadLog(database));
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    // What is deleted is overwritten where that takes no further page; SqliteMemoryItemStore.erase does the rest.
    database.exec('PRAGMA secure_delete = FAST');
    database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    migrate(database, {
      path: options.path,
      migrations: options.migrations,
      nowMs: options.clock.now(),
    });
    assertNothingLost(database, options.path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openForReading(options: DatabaseOptions): DatabaseSync {
  if (!existsSync(options.path)) {
    throw new StoreUnavailableError(options.path, 'there is no such file');
  }
  const database = connect(options);
  try {
    const known = options.migrations.at(-1)?.version ?? 0;
    const found = readVersion(database);
    if (found > known) throw new NewerDatabaseError(options.path, { found, known });
    if (found < known) throw new OlderDatabaseError(options.path, { found, known });
    assertNothingLost(database, options.path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Created before SQLite does, which would make it readable for all users. Its `-wal` and `-shm` get the same mode. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

function connect(options: DatabaseOptions): DatabaseSync {
  return new DatabaseSync(options.path, {
    readOnly: options.isReadonly,
    timeout: options.busyTimeoutMs,
    defensive: true,
  });
}

function useWriteAheadLog(database: DatabaseSync): void {
  const mode = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  if (mode !== 'wal') database.exec('PRAGMA journal_mode = WAL');
}

/** Changing the journal mode does not always wait for other connections as writes do. */
function whileBusy(options: DatabaseOptions, work: () => void): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const endMs = performance.now() + options.busyTimeoutMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= endMs) throw error;
      Atomics.wait(pause, 0, 0, retryPauseMs);
    }
  }
}

/** SQLite's primary result codes: the lowest byte of what it reports. */
const sqliteCode = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** What SQLite or the file system threw, as an error a user can act on; a bug passes unchanged. */
export function translateError(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  switch (primaryCode(error)) {
    case sqliteCode.busy:
    case sqliteCode.locked:
      return new StoreBusyError(path, error);
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return new CorruptDatabaseError(path, error);
    case sqliteCode.full:
      return new DiskFullError(path, error);
    case sqliteCode.readonly:
    case sqliteCode.ioError:
    case sqliteCode.cannotOpen:
      return new StoreUnavailableError(path, error);
    case undefined:
      return translateFileError(error, path);
    default:
      return error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && primaryCode(error) === sqliteCode.busy;
}

function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function translateFileError(error: Error, path: string): unknown {
  if (!('syscall' in error) || !('code' in error)) return error;
  return error.code === 'ENOSPC'
    ? new DiskFullError(path, error)
    : new StoreUnavailableError(path, error);
}
