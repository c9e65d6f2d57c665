import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { migrations } from './migrate.ts';
import { SqliteDatabase } from './sqlite-database.ts';

function aDatabase(): SqliteDatabase {
  const database = new SqliteDatabase({
    path: join(aDirectory(), 'tutti.db'),
    isReadonly: false,
    migrations,
    clock: systemClock,
    busyTimeoutMs: 1_000,
  });
  onTestFinished(() => database.close());
  return database;
}

const pragma = (database: SqliteDatabase, name: string): unknown =>
  database.read((statements) => Object.values(statements(`PRAGMA ${name}`).get() ?? {})[0]);

const normalSync = 1;

describe('the database', () => {
  it('writes ahead, syncs as little as is safe, and checks references', () => {
    const database = aDatabase();
    expect(pragma(database, 'journal_mode')).toBe('wal');
    expect(pragma(database, 'synchronous')).toBe(normalSync);
    expect(pragma(database, 'foreign_keys')).toBe(1);
  });

  it('waits for others as long as a write says, and its own time otherwise', () => {
    const database = aDatabase();
    const during = database.write({ durability: 'normal', busyTimeoutMs: 7 }, (statements) =>
      statements('PRAGMA busy_timeout').get(),
    );
    expect(during).toEqual({ timeout: 7 });
    expect(pragma(database, 'busy_timeout')).toBe(1_000);
  });

  it('undoes everything when a write throws', () => {
    const database = aDatabase();
    database.write({ durability: 'normal' }, (statements) =>
      statements('CREATE TABLE t (n INTEGER) STRICT').run(),
    );
    const fail = (): void =>
      database.write({ durability: 'full' }, (statements) => {
        statements('INSERT INTO t VALUES (1)').run();
        throw new Error('halfway');
      });
    expect(fail).toThrow('halfway');
    expect(database.read((statements) => statements('SELECT COUNT(*) AS n FROM t').get())).toEqual({
      n: 0,
    });
  });

  it('prepares a statement once', () => {
    const database = aDatabase();
    const prepare = (): unknown => database.read((statements) => statements('SELECT 1'));
    expect(prepare()).toBe(prepare());
  });

  it('passes a mistake in the program on as it is', () => {
    expect(() => aDatabase().read((statements) => statements('SELEC 1'))).toThrow('syntax error');
  });
});
