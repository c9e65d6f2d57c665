import type { Caller } from '../../contract/caller/index.ts';
import type { Preference, PreferenceStore } from '../../memory/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const listSql = `
  SELECT topic, text, learned_at_ms FROM preferences WHERE caller_id = ? ORDER BY id DESC`;

const removeSql = 'DELETE FROM preferences WHERE caller_id = ? AND topic = ?';

const insertSql = `
  INSERT INTO preferences (caller_id, topic, text, learned_at_ms) VALUES (?, ?, ?, ?)`;

const trimSql = `
  DELETE FROM preferences WHERE caller_id = ?1 AND id NOT IN
    (SELECT id FROM preferences WHERE caller_id = ?1 ORDER BY id DESC LIMIT ?2)`;

/** Keeps in SQLite what callers like. */
export class SqlitePreferenceStore implements PreferenceStore {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async list(caller: Caller): Promise<readonly Preference[]> {
    // Whoever only looks must not make a database of it.
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
    this.#database.write({ durability: 'full' }, (statements) => {
      // A row anew, not changed: what was learned last is the youngest.
      statements(removeSql).run(caller.id, topic);
      statements(insertSql).run(caller.id, topic, text, Date.parse(learnedAt));
      statements(trimSql).run(caller.id, maxCount);
    });
  }

  async remove(caller: Caller, topic: string): Promise<boolean> {
    if (!this.#database.exists) return false;
    return this.#database.write(
      { durability: 'full' },
      (statements) => statements(removeSql).run(caller.id, topic).changes > 0,
    );
  }
}
