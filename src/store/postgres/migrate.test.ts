import { describe, expect, it } from 'vitest';
import { aPostgresDatabase, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../../../testkit/store/shared-postgres.ts';
import { migrations, type Migration } from './migrate.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

const step = (version: number, sql: string, worksFrom = version): Migration => ({
  version,
  name: `step-${version}`,
  worksFrom,
  sql,
});
const first = step(1, 'CREATE TABLE one (n integer)');
const second = step(2, 'CREATE TABLE two (n integer)');

describe.skipIf(postgresSkipReason !== null)(`the schema of PostgreSQL${why}`, () => {
  it('is brought to the newest version by processes that race', async () => {
    const url = await createSharedDatabase();
    const all = await Promise.all([1, 2, 3, 4].map(() => aPostgresDatabase({ url })));
    await Promise.all(all.map((it) => it.query('SELECT count(*) FROM runs')));
    const rows = await all[0]?.query(
      'SELECT version, name FROM schema_migrations ORDER BY version',
    );
    expect(rows).toEqual(migrations.map(({ version, name }) => ({ version, name })));
  });

  it('of an older version is brought forward, one transaction a step', async () => {
    const url = await createSharedDatabase();
    await (
      await aPostgresDatabase({ url, migrations: [first] })
    ).query('INSERT INTO one VALUES (1)');
    const broken = step(2, 'CREATE TABLE two (n integer); SELECT 1 / 0');
    const failing = await aPostgresDatabase({ url, migrations: [first, broken] });
    await expect(failing.query('SELECT 1')).rejects.toThrow('division by zero');
    const database = await aPostgresDatabase({ url, migrations: [first, second] });
    expect(await database.query('SELECT n FROM one LEFT JOIN two USING (n)')).toEqual([{ n: 1 }]);
  });

  it('that is newer is refused and left as it is', async () => {
    const url = await createSharedDatabase();
    await (await aPostgresDatabase({ url, migrations: [first, second] })).query('SELECT 1');
    const older = await aPostgresDatabase({ url, migrations: [first] });
    await expect(older.query('SELECT 1')).rejects.toMatchObject({ code: 'store.newer_database' });
  });

  it('that is newer and works with this program is used: two versions run at once', async () => {
    const url = await createSharedDatabase();
    const additive = step(2, 'ALTER TABLE one ADD COLUMN m integer', 1);
    const older = await aPostgresDatabase({ url, migrations: [first] });
    await older.query('INSERT INTO one (n) VALUES (1)');
    const newer = await aPostgresDatabase({ url, migrations: [first, additive] });
    await newer.query('INSERT INTO one (n, m) VALUES (2, 2)');
    await older.query('INSERT INTO one (n) VALUES (3)');
    const restarted = await aPostgresDatabase({ url, migrations: [first] });
    expect(await restarted.query('SELECT n FROM one ORDER BY n')).toHaveLength(3);
  });

  it('with a step that differs from the one the program has is refused', async () => {
    const url = await createSharedDatabase();
    await (await aPostgresDatabase({ url, migrations: [first] })).query('SELECT 1');
    const other = step(1, 'CREATE TABLE one (n bigint)');
    const database = await aPostgresDatabase({ url, migrations: [other] });
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'store.corrupt' });
  });
});
