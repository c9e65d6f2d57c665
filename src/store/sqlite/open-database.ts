import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NewerDatabaseError, OlderDatabaseError, StoreUnavailableError } from '../errors.ts';
import { assertNothingLost } from './last-fact.ts';
import { migrate, readVersion } from './migrate.ts';
import type { DatabaseOptions } from './sqlite-database.ts';
import { isBusy } from './translate-error.ts';

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

/** Made before SQLite makes it, which would let everybody read it. Its `-wal` and `-shm` get the same mode. */
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
