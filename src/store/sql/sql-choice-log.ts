import type { ChoiceEntry, ChoiceLog } from '../../agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { all, type SqlDatabase } from './sql-database.ts';

const appendSql = 'INSERT INTO agent_choices (caller_id, is_change, entry) VALUES ($1, $2, $3)';
const readSql =
  'SELECT id, entry FROM agent_choices WHERE caller_id = $1 AND id > $2 ORDER BY id LIMIT $3';
const trimSql = `
  DELETE FROM agent_choices WHERE caller_id = $1 AND is_change = 0 AND id < (
    SELECT id FROM agent_choices WHERE caller_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`;

export interface ChoiceLogOptions {
  /** Decisions and outcomes of a caller that are kept; up to twice as many until the next removal. */
  readonly maxEntries: number;
}

/** Keeps choices among agents. */
export class SqlChoiceLog implements ChoiceLog {
  readonly #database: SqlDatabase;
  readonly #options: ChoiceLogOptions;
  /** Entries of each caller that this process added since it removed old ones. */
  readonly #added = new Map<string, number>();

  constructor(database: SqlDatabase, options: ChoiceLogOptions) {
    this.#database = database;
    this.#options = options;
  }

  async append({ id }: Caller, entry: ChoiceEntry): Promise<void> {
    const { maxEntries } = this.#options;
    const added = (this.#added.get(id) ?? 0) + 1;
    const isTrimDue = added >= maxEntries;
    // Numbers are given under the lock: a reader that goes on from the last one it saw misses none.
    const terms = { locks: [`choices ${id}`], durability: 'normal' } as const;
    await this.#database.write(terms, function* () {
      yield* all(appendSql, id, Number(entry.kind === 'change'), JSON.stringify(entry));
      if (isTrimDue) yield* all(trimSql, id, maxEntries - 1);
    });
    this.#added.set(id, isTrimDue ? 0 : added);
  }

  async read(
    { id }: Caller,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly { readonly number: number; readonly entry: ChoiceEntry }[]> {
    const rows = await this.#database.rows(readSql, id, after, limit);
    return rows.map((row) => ({
      number: Number(row['id']),
      // Written by `append`.
      entry: JSON.parse(String(row['entry'])) as ChoiceEntry,
    }));
  }
}
