import type { SqlDatabase, SqlRow, SqlValue, SqlWork, SqlWrite } from '../sql/sql-database.ts';
import type { PostgresDatabase, Statements } from './postgres-database.ts';

/** Of all names at once, in their order. */
const lockSql = `
  SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name`;

/** Until the end of the transaction. */
export async function takeLocks(statements: Statements, names: readonly string[]): Promise<void> {
  await statements.query(lockSql, [names]);
}

/** The statements of both databases in PostgreSQL. A read of several statements may see changes between them. */
export class PostgresSql implements SqlDatabase {
  readonly #database: PostgresDatabase;
  /** By the text of both databases. */
  readonly #texts = new Map<string, string>();
  /** Who has its address wants it to be used: it is made ready at the first statement. */
  readonly exists = true;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  get path(): string {
    return this.#database.path;
  }

  rows(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#database.query<SqlRow>(this.#textOf(sql), values);
  }

  read<Result>(work: () => SqlWork<Result>): Promise<Result> {
    return this.#run(this.#database, work());
  }

  /** Survives a crash of the server whatever the terms: the end of the audit log is noted outside of it. */
  write<Result>({ locks }: SqlWrite, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.transaction(async (statements) => {
      await takeLocks(statements, locks);
      return this.#run(statements, work());
    });
  }

  async #run<Result>(statements: Statements, work: SqlWork<Result>): Promise<Result> {
    let step = work.next();
    while (step.done !== true) {
      const { sql, values } = step.value;
      step = work.next(await statements.query<SqlRow>(this.#textOf(sql), values));
    }
    return step.value;
  }

  #textOf(sql: string): string {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    const text = sql.replaceAll(/\bjson_each\((\$\d+)\)/g, 'json_array_elements_text($1::json)');
    this.#texts.set(sql, text);
    return text;
  }
}
