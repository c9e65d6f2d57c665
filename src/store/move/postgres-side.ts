import type { Statements } from '../postgres/postgres-database.ts';
import {
  movedTables,
  type Cell,
  type CellRow,
  type MovedTable,
  type MoveSide,
} from './move-tables.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNumbered: boolean;
}

const pageSize = 500;

const columnsSql = `
  SELECT column_name AS name, udt_name AS type, is_identity = 'YES' AS "isNumbered" FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1`;

const leasesSql = `
  SELECT COUNT(*) AS count FROM runs
  WHERE lease_owner IS NOT NULL AND lease_until_ms > extract(epoch FROM clock_timestamp()) * 1000`;

/** What they would note is copied, or told to other processes, of which there are none. */
const silentTriggers = [
  ['memory_items', 'memory_item_added'],
  ['memory_items', 'memory_item_changed'],
  ['memory_vectors', 'memory_vector_added'],
] as const;

/** A PostgreSQL database in a transaction. */
export class PostgresSide implements MoveSide {
  readonly path: string;
  readonly #statements: Statements;
  readonly #columns = new Map<string, ReadonlyMap<string, Column>>();

  constructor(statements: Statements, path: string) {
    this.#statements = statements;
    this.path = path;
  }

  /** Until the end of the transaction no other process writes, and after `close` the triggers are what they were. */
  async open(): Promise<void> {
    // Between two statements the file is read, for as long as it takes.
    await this.#run('SET LOCAL idle_in_transaction_session_timeout = 0');
    await this.#run('SET LOCAL statement_timeout = 0');
    const tables = movedTables.map(({ name }) => name).join(', ');
    await this.#run(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`);
    await this.#setTriggers('DISABLE');
  }

  async close(): Promise<void> {
    await this.#setTriggers('ENABLE');
  }

  async columns(table: MovedTable): Promise<readonly string[]> {
    return [...(await this.#columnsOf(table)).keys()];
  }

  async isEmpty({ name }: MovedTable): Promise<boolean> {
    return (await this.#run(`SELECT 1 FROM ${name} LIMIT 1`)).length === 0;
  }

  async countLeases(): Promise<number> {
    const [row] = await this.#statements.query<{ count: number }>(leasesSql);
    return row?.count ?? 0;
  }

  async clear({ name }: MovedTable): Promise<void> {
    await this.#run(`DELETE FROM ${name}`);
  }

  async *read(table: MovedTable, columns: readonly string[]): AsyncIterable<readonly CellRow[]> {
    const known = await this.#columnsOf(table);
    const order = table.key.map((name) =>
      known.get(name)?.type === 'text' ? `${name} COLLATE "C"` : name,
    );
    const select = `SELECT ${columns.join(', ')} FROM ${table.name} ORDER BY ${order.join(', ')}`;
    await this.#run(`DECLARE moved NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const rows = await this.#run(`FETCH ${pageSize} FROM moved`);
      if (rows.length === 0) break;
      yield rows.map((row) => columns.map((name) => row[name] ?? null));
    }
    await this.#run('CLOSE moved');
  }

  async insert(
    table: MovedTable,
    columns: readonly string[],
    rows: readonly CellRow[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const known = await this.#columnsOf(table);
    const arrays = columns.map((name, n) => `$${n + 1}::${known.get(name)?.type ?? 'text'}[]`);
    await this.#statements.query(
      `INSERT INTO ${table.name} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT * FROM unnest(${arrays.join(', ')})`,
      columns.map((_, n) => rows.map((row) => row[n])),
    );
    for (const { name, isNumbered } of known.values()) {
      if (!isNumbered) continue;
      const largest = `(SELECT max(${name}) FROM ${table.name})`;
      await this.#run(
        `SELECT setval(pg_get_serial_sequence('${table.name}', '${name}'), ${largest})`,
      );
    }
  }

  async #columnsOf({ name }: MovedTable): Promise<ReadonlyMap<string, Column>> {
    const known = this.#columns.get(name);
    if (known) return known;
    const columns = await this.#statements.query<Column>(columnsSql, [name]);
    const byName = new Map(columns.map((column) => [column.name, column]));
    this.#columns.set(name, byName);
    return byName;
  }

  async #setTriggers(change: 'ENABLE' | 'DISABLE'): Promise<void> {
    for (const [table, trigger] of silentTriggers) {
      await this.#run(`ALTER TABLE ${table} ${change} TRIGGER ${trigger}`);
    }
  }

  #run(sql: string): Promise<Record<string, Cell>[]> {
    return this.#statements.query(sql);
  }
}
