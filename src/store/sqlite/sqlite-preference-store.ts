import type { Caller } from '../../contract/caller/index.ts';
import { preferenceSchema } from '../../contract/preference/index.ts';
import type { PreferenceChange, PreferenceStore, StoredPreference } from '../../memory/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const listSql = 'SELECT id, preference FROM preferences WHERE caller_id = ? ORDER BY id DESC';
const insertSql = 'INSERT INTO preferences (preference, caller_id) VALUES (?, ?)';
const updateSql = 'UPDATE preferences SET preference = ? WHERE caller_id = ? AND id = ?';
const removeSql = 'DELETE FROM preferences WHERE caller_id = ? AND id = ?';

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

  async list(caller: Caller): Promise<readonly StoredPreference[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(listSql).all(caller.id));
    return rows.map(({ id, preference }) => ({
      id: Number(id),
      preference: preferenceSchema.parse(JSON.parse(String(preference))),
    }));
  }

  async write(caller: Caller, change: PreferenceChange): Promise<void> {
    const { add = [], update = [], remove = [] } = change;
    await whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => {
        for (const id of remove) statements(removeSql).run(caller.id, id);
        for (const { id, preference } of update) {
          statements(updateSql).run(JSON.stringify(preference), caller.id, id);
        }
        for (const preference of add) {
          statements(insertSql).run(JSON.stringify(preference), caller.id);
        }
      }),
    );
  }
}
