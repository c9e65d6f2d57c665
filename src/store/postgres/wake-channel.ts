import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Notification } from 'pg';
import type { PostgresListener } from './listener.ts';
import type { PostgresDatabase, Statements } from './postgres-database.ts';
import { translateError } from './postgres-errors.ts';

const channel = 'tutti_runs';
/** Between two notices about commits. A notice makes commits of all processes wait for one another. */
const ringPauseMs = 25;

/**
 * Notifies processes that others wrote something about runs.
 *
 * 1. For what comes from outside (`ringWith`) the notice is part of the transaction that writes it.
 * 2. Hot writes are followed by one notice for many (`ringSoon`). If a process dies in between, what it left is
 *    found by the search for unclaimed runs.
 * 3. `revision` costs one short question on the connection that listens; it counts all notices sent before it.
 */
export class WakeChannel {
  readonly #database: PostgresDatabase;
  readonly #own = randomUUID();
  #listener: Promise<PostgresListener> | undefined;
  #revision = 0;
  #isRinging = false;
  #isWanted = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async ringWith({ query }: Statements): Promise<void> {
    await query('SELECT pg_notify($1, $2)', [channel, this.#own]);
  }

  ringSoon(): void {
    this.#isWanted = true;
    if (this.#isRinging) return;
    this.#isRinging = true;
    void this.#ringWhileWanted();
  }

  async revision(): Promise<number> {
    const listener = await this.#listening();
    try {
      // Notices that were sent before it come before its answer.
      await listener.ping();
    } catch (error) {
      this.#listener = undefined;
      throw translateError(error, this.#database.path);
    }
    return this.#revision;
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.then((it) => it.close()).catch(() => undefined);
  }

  async #listening(): Promise<PostgresListener> {
    this.#listener ??= this.#listen();
    try {
      return await this.#listener;
    } catch (error) {
      this.#listener = undefined;
      throw error;
    }
  }

  async #listen(): Promise<PostgresListener> {
    const listener = await this.#database.listen(channel, {
      onNotice: ({ payload }: Notification) => {
        if (payload !== this.#own) this.#revision += 1;
      },
      onLost: () => {
        this.#listener = undefined;
      },
    });
    // Nothing is known of the time before.
    this.#revision += 1;
    return listener;
  }

  async #ringWhileWanted(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      // Losing it costs others the time until they look by themselves.
      await this.ringWith(this.#database).catch(() => undefined);
      await pause(ringPauseMs, undefined, { ref: false });
    }
    this.#isRinging = false;
  }
}
