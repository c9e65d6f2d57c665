import type { SQLOutputValue } from 'node:sqlite';

/** Flags are 0 or 1 in both databases. */
export type SqlValue = string | number | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

export interface SqlStatement {
  /**
   * Written in the program, never put together from data. Placeholders are `$1`, `$2` …; `json_each($1)` has the texts
   * of a JSON list in its column `value`.
   */
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Statements one after the other, each made from the rows of those before. It does no I/O: SQLite runs it without a
 * pause, PostgreSQL over a connection, so that a store is written once for both.
 */
export type SqlWork<Result> = Generator<SqlStatement, Result, readonly SqlRow[]>;

export function* all(sql: string, ...values: readonly SqlValue[]): SqlWork<readonly SqlRow[]> {
  return yield { sql, values };
}

export function* one(sql: string, ...values: readonly SqlValue[]): SqlWork<SqlRow | undefined> {
  const [row] = yield { sql, values };
  return row;
}

export interface SqlWrite {
  /** Writes with a name in common follow one another, also those of other processes. Always in the same order. */
  readonly locks: readonly string[];
  /** What the write survives: `normal` and `soon` may lose it with the power; see `Durability` of SQLite. */
  readonly durability: 'normal' | 'soon' | 'full';
  /** What is deleted is overwritten, where the database keeps it in pages of its own. */
  readonly overwrites?: boolean;
}

/**
 * A database for stores that need no more than statements that SQLite and PostgreSQL both have.
 *
 * 1. A write is kept whole or not at all. Its work may be run several times.
 * 2. A read makes no database: without one, `rows` has none.
 */
export interface SqlDatabase {
  /** Its file or address, for messages. */
  readonly path: string;
  /** Whether there is something to read. */
  readonly exists: boolean;
  /** One statement that reads. */
  rows(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** To be called where the database exists. */
  read<Result>(work: () => SqlWork<Result>): Promise<Result>;
  write<Result>(terms: SqlWrite, work: () => SqlWork<Result>): Promise<Result>;
}
