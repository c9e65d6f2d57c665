import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { DatabaseOptions } from './open-database.ts';

const fdatasyncLater = promisify(fdatasync);

/**
 * The write-ahead log of an open database, for those who wait until what they committed is on the disk
 * (docs/adr/0015). SQLite waits with fsync, which writes the times of the file, too.
 *
 * 1. It is opened after the connection and closed before it: until then no process removes the file, so it is
 *    the one SQLite writes to. SQLite keeps no locks on it that closing would lose.
 * 2. After a sync has failed it is not known what of the log is on the disk, whatever later ones say. So
 *    there are none: every write that wants to be sure fails, until the database is opened again.
 */
export class WriteAheadLog {
  /** Undefined where the file system does not allow for one. */
  readonly #file: number | undefined;
  readonly #syncFile: (file: number) => void;
  readonly #syncFileLater: (file: number) => Promise<void>;
  #failure: unknown;
  /** Syncs that others are waited for with. */
  #underway = 0;
  #isClosed = false;

  constructor(
    connection: DatabaseSync,
    {
      path,
      syncFile = fdatasyncSync,
      syncFileLater = fdatasyncLater,
    }: Pick<DatabaseOptions, 'path' | 'syncFile' | 'syncFileLater'>,
  ) {
    this.#syncFile = syncFile;
    this.#syncFileLater = syncFileLater;
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

  /** The same without blocking the event loop, which takes longer. */
  async syncLater(): Promise<void> {
    this.#underway += 1;
    try {
      if (this.#file !== undefined) await this.#syncFileLater(this.#file);
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#underway -= 1;
      if (this.#isClosed) this.close();
    }
  }

  /** Once nothing is under way: the number of a closed file may be given to another one. */
  close(): void {
    this.#isClosed = true;
    if (this.#file !== undefined && this.#underway === 0) closeSync(this.#file);
  }
}
