import type { Caller } from '../../contract/caller/index.ts';
import { preferenceSchema } from '../../contract/preference/index.ts';
import type { PreferenceChange, PreferenceStore, StoredPreference } from '../../memory/index.ts';
import { all, type SqlDatabase } from './sql-database.ts';

const listSql = 'SELECT id, preference FROM preferences WHERE caller_id = $1 ORDER BY id DESC';
const insertSql = 'INSERT INTO preferences (preference, caller_id) VALUES ($1, $2)';
const updateSql = 'UPDATE preferences SET preference = $1 WHERE caller_id = $2 AND id = $3';
const removeSql = 'DELETE FROM preferences WHERE caller_id = $1 AND id = $2';

/** Keeps preferences of callers. */
export class SqlPreferenceStore implements PreferenceStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async list(caller: Caller): Promise<readonly StoredPreference[]> {
    const rows = await this.#database.rows(listSql, caller.id);
    return rows.map(({ id, preference }) => ({
      id: Number(id),
      preference: preferenceSchema.parse(JSON.parse(String(preference))),
    }));
  }

  async write(caller: Caller, change: PreferenceChange): Promise<void> {
    const { add = [], update = [], remove = [] } = change;
    const terms = { locks: [`preferences ${caller.id}`], durability: 'full' } as const;
    await this.#database.write(terms, function* () {
      for (const id of remove) yield* all(removeSql, caller.id, id);
      for (const { id, preference } of update) {
        yield* all(updateSql, JSON.stringify(preference), caller.id, id);
      }
      for (const preference of add) {
        yield* all(insertSql, JSON.stringify(preference), caller.id);
      }
    });
  }
}
