import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { lastFactFile } from './last-fact.ts';
import { openDatabase, translateError, type DatabaseOptions } from './open-database.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/**
 * What a committed write survives. `normal`: the death of every process, not the loss of power,
 * which may take the last commits but never the database. `full`: the loss of power too. `soon`:
 * the same a moment later (a tenth of a second after the sync before), without waiting.
 */
export type Durability = 'normal' | 'soon' | 'full';

export interface WriteTerms {
  readonly durability: Durability;
  /** How long this write, and opening for it, waits for another process instead of the database's own time. */
  readonly busyTimeoutMs?: number;
}

/** Between two syncs without a waiter: writes that meet a sync of the same file wait for the disk. */
const soonPauseMs = 100;

/** One connection, opened at first use, with its statements. Errors come out as `AppError`s. */
export class SqliteDatabase {
  readonly options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  #connection: DatabaseSync | undefined;
  #log: WriteAheadLog | undefined;
  /** Counts them, to know whether a sync that is under way has all of them. */
  #writes = 0;
  #syncing: { readonly writes: number; readonly ended: Promise<void> } | undefined;
  /** Something was written that is to be on the disk soon, and no sync has begun since. */
  #isSyncWanted = false;
  #isSyncingSoon = false;
  #busyTimeoutMs: number;

  constructor(options: DatabaseOptions) {
    this.options = options;
    this.#busyTimeoutMs = options.busyTimeoutMs;
  }

  get exists(): boolean {
    const { path } = this.options;
    return this.#connection !== undefined || [path, lastFactFile(path)].some(existsSync);
  }

  /** Runs `work` in one write transaction: all of it is kept or, when it throws, nothing. */
  write<Result>(terms: WriteTerms, work: (statements: Statements) => Result): Result {
    return this.#writing(terms, (connection) => {
      const statements = this.#statementsOf;
      try {
        // Taking the write lock at once waits for it; a lock taken halfway could only fail.
        statements('BEGIN IMMEDIATE').run();
        const result = work(statements);
        statements('COMMIT').run();
        return result;
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Throws where `synced` could not be believed: then nothing that depends on it may be written. */
  assertSyncable(): void {
    this.#guarded(this.options.busyTimeoutMs, (connection) => this.#soundLog(connection));
  }

  /**
   * Settles when all that was written before survives the loss of power. Does not block the event
   * loop, for which it takes longer than a write that is `full` by itself.
   */
  synced(): Promise<void> {
    if (this.#syncing?.writes !== this.#writes) {
      this.#syncing = { writes: this.#writes, ended: this.#syncLater() };
    }
    return this.#syncing.ended;
  }

  async #syncLater(): Promise<void> {
    try {
      await this.#guarded(this.options.busyTimeoutMs, (connection) =>
        this.#soundLog(connection).syncLater(),
      );
    } catch (error) {
      throw translateError(error, this.options.path);
    } finally {
      this.#syncing = undefined;
    }
  }

  /** One sync after the other, while there is something new. */
  #syncSoon(): void {
    this.#isSyncWanted = true;
    if (this.#isSyncingSoon) return;
    this.#isSyncingSoon = true;
    void this.#syncWhileWanted();
  }

  async #syncWhileWanted(): Promise<void> {
    try {
      while (this.#isSyncWanted) {
        this.#isSyncWanted = false;
        await this.synced();
        await pause(soonPauseMs, undefined, { ref: false });
      }
    } catch {
      // The log remembers: the next write that depends on the disk fails with it.
    } finally {
      this.#isSyncingSoon = false;
    }
  }

  /** Runs reads that see one and the same state of the database. */
  read<Result>(work: (statements: Statements) => Result): Result {
    return this.#guarded(this.options.busyTimeoutMs, (connection) => {
      this.#statementsOf('BEGIN').run();
      try {
        return work(this.#statementsOf);
      } finally {
        if (connection.isTransaction) this.#statementsOf('ROLLBACK').run();
      }
    });
  }

  /** For a `work` that is one statement. */
  readOne<Result>(work: (statements: Statements) => Result): Result {
    return this.#guarded(this.options.busyTimeoutMs, () => work(this.#statementsOf));
  }

  /** Copies the write-ahead log into the database and truncates it. False where another connection reads from it. */
  emptyLog(busyTimeoutMs: number): boolean {
    return this.#guarded(busyTimeoutMs, () => {
      const done = this.#statementsOf('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return done?.['busy'] === 0;
    });
  }

  /** Writes the file anew, without what is in its unused parts. */
  vacuum(busyTimeoutMs: number): void {
    this.#guarded(busyTimeoutMs, (connection) => connection.exec('VACUUM'));
  }

  close(): void {
    if (this.#isSyncWanted) this.#syncAtEnd();
    this.#statements.clear();
    this.#log?.close();
    this.#log = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #syncAtEnd(): void {
    this.#isSyncWanted = false;
    try {
      this.#log?.sync();
    } catch {
      // It was not acknowledged as being on the disk.
    }
  }

  readonly #statementsOf: Statements = (sql) => {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#opened(this.#busyTimeoutMs).prepare(sql.replaceAll(/\$(?=\d)/g, '?'));
    this.#statements.set(sql, statement);
    return statement;
  };

  #writing<Result>(terms: WriteTerms, work: (connection: DatabaseSync) => Result): Result {
    const { durability, busyTimeoutMs = this.options.busyTimeoutMs } = terms;
    return this.#guarded(busyTimeoutMs, (connection) => {
      this.#writes += 1;
      if (durability === 'normal') return work(connection);
      // Opened before anything is written: a log that cannot be waited for must not be written to.
      const log = this.#soundLog(connection);
      const result = work(connection);
      if (durability === 'full') log.sync();
      else this.#syncSoon();
      return result;
    });
  }

  #soundLog(connection: DatabaseSync): WriteAheadLog {
    this.#log ??= new WriteAheadLog(connection, this.options);
    this.#log.assertSound();
    return this.#log;
  }

  #guarded<Result>(busyTimeoutMs: number, work: (connection: DatabaseSync) => Result): Result {
    try {
      return work(this.#opened(busyTimeoutMs));
    } catch (error) {
      throw translateError(error, this.options.path);
    }
  }

  #opened(busyTimeoutMs: number): DatabaseSync {
    if (!this.#connection) {
      this.#connection = openDatabase({ ...this.options, busyTimeoutMs });
      this.#busyTimeoutMs = busyTimeoutMs;
    } else if (busyTimeoutMs !== this.#busyTimeoutMs) {
      this.#connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      this.#busyTimeoutMs = busyTimeoutMs;
    }
    return this.#connection;
  }
}

/**
 * Gives the prepared statement of a text that is written in the program, never put together from data. `$1` is
 * the same as `?1`, for texts that PostgreSQL understands, too.
 */
export type Statements = (sql: string) => StatementSync;

/** What `work` deletes is overwritten, also where whole pages become free. */
export function overwriting<Result>(statements: Statements, work: () => Result): Result {
  statements('PRAGMA secure_delete = ON').get();
  try {
    return work();
  } finally {
    statements('PRAGMA secure_delete = FAST').get();
  }
}
