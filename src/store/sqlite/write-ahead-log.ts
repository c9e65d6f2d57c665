import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseOptions } from './sqlite-database.ts';

/**
 * The write-ahead log of an open database, for those who wait until what they committed is on the disk
 * (docs/adr/0015). SQLite waits with fsync, which writes the times of the file, too.
 *
 * 1. It is opened after the connection and closed before it: until then nobody removes the file, so it is
 *    the one SQLite writes to. SQLite keeps no locks on it that closing would lose.
 * 2. After a sync has failed nobody knows what of the log is on the disk, whatever later ones say. So
 *    there are none: every write that wants to be sure fails, until the database is opened again.
 */
export class WriteAheadLog {
  /** Undefined where the file system does not allow for one. */
  readonly #file: number | undefined;
  readonly #syncFile: (file: number) => void;
  #failure: unknown;

  constructor(
    connection: DatabaseSync,
    { path, syncFile = fdatasyncSync }: Pick<DatabaseOptions, 'path' | 'syncFile'>,
  ) {
    this.#syncFile = syncFile;
    const mode = connection.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
    if (mode === 'wal') this.#file = openSync(`${path}-wal`, 'r+');
    // Then SQLite itself waits for the disk with every write.
    else connection.exec('PRAGMA synchronous = FULL');
  }

  /** Throws why the last sync failed, if it did. */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns when all that was committed before, by whomever, survives the loss of power. */
  sync(): void {
    try {
      if (this.#file !== undefined) this.#syncFile(this.#file);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
