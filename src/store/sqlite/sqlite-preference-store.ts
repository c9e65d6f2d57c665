import type { Caller } from '../../contract/caller/index.ts';
import type { Preference, PreferenceStore } from '../../memory/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const listSql = `
  SELECT topic, text, learned_at_ms FROM preferences WHERE caller_id = ? ORDER BY id DESC`;

const removeSql = 'DELETE FROM preferences WHERE caller_id = ? AND topic = ?';

const insertSql = `
  INSERT INTO preferences (caller_id, topic, text, learned_at_ms) VALUES (?, ?, ?, ?)`;

const trimSql = `
  DELETE FROM preferences WHERE caller_id = ?1 AND id NOT IN
    (SELECT id FROM preferences WHERE caller_id = ?1 ORDER BY id DESC LIMIT ?2)`;

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

/** Keeps preferences of callers in SQLite. */
export class SqlitePreferenceStore implements PreferenceStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async list(caller: Caller): Promise<readonly Preference[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(listSql).all(caller.id));
    return rows.map((row) => ({
      topic: String(row['topic']),
      text: String(row['text']),
      learnedAt: new Date(Number(row['learned_at_ms'])).toISOString(),
    }));
  }

  async put(caller: Caller, preference: Preference, maxCount: number): Promise<void> {
    const { topic, text, learnedAt } = preference;
    await this.#write((statements) => {
      // A row anew, not changed: what was learned last is the youngest.
      statements(removeSql).run(caller.id, topic);
      statements(insertSql).run(caller.id, topic, text, Date.parse(learnedAt));
      statements(trimSql).run(caller.id, maxCount);
    });
  }

  async remove(caller: Caller, topic: string): Promise<boolean> {
    if (!this.#database.exists) return false;
    return this.#write((statements) => statements(removeSql).run(caller.id, topic).changes > 0);
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#patienceMs, () => this.#database.write(terms, work));
  }
}
