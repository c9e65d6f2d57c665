import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../kernel/index.ts';
import { CorruptDatabaseError, StoreBusyError } from '../errors.ts';
import type { Durability, SqliteDatabase, Statements } from './sqlite-database.ts';

interface Member {
  readonly durability: Durability;
  /** Does its part of the transaction and gives what is to be called once that is committed. */
  readonly work: (statements: Statements) => () => void;
  readonly fail: (error: unknown) => void;
}

/** Writes in one transaction: the disk is waited for once. */
const maxMembers = 1_000;

/**
 * Writes of one tick as one transaction.
 *
 * 1. Each sees what those before it wrote, and no other process writes in between.
 * 2. One that throws leaves nothing behind and does not disturb the others: they are then written one by
 *    one, so each may be called twice.
 * 3. Promises settle after the commit.
 */
export class WriteGroup {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;
  #waiting: Member[] = [];

  /** `patienceMs`: how long other processes are waited for beyond what each try waits. */
  constructor(database: SqliteDatabase, patienceMs = 0) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  write<Result>(durability: Durability, work: (statements: Statements) => Result): Promise<Result> {
    return new Promise((resolve, fail) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({
        durability,
        work: (statements) => {
          const result = work(statements);
          return () => resolve(result);
        },
        fail,
      });
    });
  }

  #flush(): void {
    const members = this.#waiting.slice(0, maxMembers);
    this.#waiting = this.#waiting.slice(maxMembers);
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    void this.#writeAll(members);
  }

  async #writeAll(members: readonly Member[]): Promise<void> {
    const durability = members.some((it) => it.durability === 'full') ? 'full' : 'normal';
    try {
      const settleAll = await whileStoreBusy(this.#patienceMs, () =>
        this.#database.write({ durability }, (statements) =>
          members.map(({ work }) => work(statements)),
        ),
      );
      for (const settle of settleAll) settle();
    } catch (error) {
      // What is wrong with the database is wrong for all of them, and each would wait for it again.
      // A damaged row is one member's, as a bug is.
      const isOwnFault = !(error instanceof AppError) || error instanceof CorruptDatabaseError;
      for (const member of members) {
        if (isOwnFault && members.length > 1) await this.#writeAll([member]);
        else member.fail(error);
      }
    }
  }
}

const pauseMs = 20;

/**
 * Tries `work` again while other processes keep the database locked, for this long at most. SQLite's own
 * waiting blocks the event loop, so that is kept short; between the attempts other work goes on.
 */
export async function whileStoreBusy<Result>(
  patienceMs: number,
  work: () => Result,
): Promise<Result> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StoreBusyError) || performance.now() >= endMs) throw error;
      await pause(pauseMs);
    }
  }
}
