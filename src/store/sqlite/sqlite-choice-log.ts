import type { ChoiceEntry, ChoiceLog } from '../../agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const appendSql = 'INSERT INTO agent_choices (caller_id, is_change, entry) VALUES (?, ?, ?)';
const readSql =
  'SELECT id, entry FROM agent_choices WHERE caller_id = ? AND id > ? ORDER BY id LIMIT ?';
const trimSql = `
  DELETE FROM agent_choices WHERE caller_id = ?1 AND is_change = 0 AND id < (
    SELECT id FROM agent_choices WHERE caller_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'normal', busyTimeoutMs: 250 } as const;

export interface ChoiceLogOptions {
  /** How long a write waits for other processes. */
  readonly patienceMs: number;
  /** Decisions and outcomes of a caller that are kept; up to twice as many until the next removal. */
  readonly maxEntries: number;
}

/** Keeps choices among agents in SQLite. */
export class SqliteChoiceLog implements ChoiceLog {
  readonly #database: SqliteDatabase;
  readonly #options: ChoiceLogOptions;
  /** Entries of each caller that this process added since it removed old ones. */
  readonly #added = new Map<string, number>();

  constructor(database: SqliteDatabase, options: ChoiceLogOptions) {
    this.#database = database;
    this.#options = options;
  }

  async append({ id }: Caller, entry: ChoiceEntry): Promise<void> {
    const { patienceMs, maxEntries } = this.#options;
    const added = (this.#added.get(id) ?? 0) + 1;
    const isTrimDue = added >= maxEntries;
    await whileStoreBusy(patienceMs, () =>
      this.#database.write(terms, (statements) => {
        statements(appendSql).run(id, Number(entry.kind === 'change'), JSON.stringify(entry));
        if (isTrimDue) statements(trimSql).run(id, maxEntries - 1);
      }),
    );
    this.#added.set(id, isTrimDue ? 0 : added);
  }

  async read(
    { id }: Caller,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly { readonly number: number; readonly entry: ChoiceEntry }[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    return this.#database
      .readOne((statements) => statements(readSql).all(id, after, limit))
      .map((row) => ({
        number: Number(row['id']),
        // Written by `append`.
        entry: JSON.parse(String(row['entry'])) as ChoiceEntry,
      }));
  }
}
