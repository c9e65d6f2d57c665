import type { DatabaseSync } from 'node:sqlite';
import type { Cell, CellRow, MovedTable, MoveSide } from './move-tables.ts';

const pageSize = 500;
/** Runs are numbered, and an entry of the journal of a run has its number times this plus its index as its key. */
const perRun = 2 ** 28;

const leasesSql =
  'SELECT COUNT(*) AS count FROM runs WHERE lease_owner IS NOT NULL AND lease_until_ms > ?';

/** A SQLite database in a transaction; takes it over until it is committed or rolled back by its owner. */
export class SqliteSide implements MoveSide {
  readonly path: string;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.path = path;
  }

  async columns({ name, key }: MovedTable): Promise<readonly string[]> {
    const rows = this.#database.prepare('SELECT name FROM pragma_table_info(?)').all(name);
    const columns = rows.map((row) => String(row['name']));
    return name === 'run_journal' ? [...key, ...columns.filter((it) => it !== 'place')] : columns;
  }

  async isEmpty({ name }: MovedTable): Promise<boolean> {
    return this.#database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined;
  }

  async countLeases(): Promise<number> {
    const row = this.#database.prepare(leasesSql).get(Date.now());
    return Number(row?.['count']);
  }

  async clear({ name }: MovedTable): Promise<void> {
    this.#database.exec(`DELETE FROM ${name}`);
  }

  async *read(
    { name, key }: MovedTable,
    columns: readonly string[],
  ): AsyncIterable<readonly CellRow[]> {
    const shown =
      name === 'run_journal'
        ? `place / ${perRun} AS run_key, place % ${perRun} AS first, ${columns.slice(2).join(', ')}`
        : columns.join(', ');
    const order = name === 'run_journal' ? 'place' : key.join(', ');
    const rows = this.#database.prepare(`SELECT ${shown} FROM ${name} ORDER BY ${order}`);
    let page: CellRow[] = [];
    for (const row of rows.iterate()) {
      // Numbers are safe: node:sqlite throws for others.
      if (page.push(Object.values(row) as Cell[]) < pageSize) continue;
      yield page;
      page = [];
    }
    yield page;
  }

  async insert(
    { name }: MovedTable,
    columns: readonly string[],
    rows: readonly CellRow[],
  ): Promise<void> {
    const isJournal = name === 'run_journal';
    const places = columns.map(() => '?').slice(isJournal ? 2 : 0);
    const named = isJournal ? ['place', ...columns.slice(2)] : columns;
    const values = isJournal ? [`? * ${perRun} + ?`, ...places] : places;
    const insert = this.#database.prepare(
      `INSERT INTO ${name} (${named.join(', ')}) VALUES (${values.join(', ')})`,
    );
    for (const row of rows) {
      insert.run(...row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)));
    }
  }
}
