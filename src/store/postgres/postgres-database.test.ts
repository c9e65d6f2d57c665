import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aPostgresDatabase, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { startPostgresServer } from '../../../testkit/store/postgres-server.ts';
import { createSharedDatabase } from '../../../testkit/store/shared-postgres.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

const createTable = 'CREATE TABLE t (n bigint PRIMARY KEY, text text)';

async function numbers(database: PostgresDatabase): Promise<number[]> {
  const rows = await database.query<{ n: number }>('SELECT n FROM t ORDER BY n');
  return rows.map(({ n }) => n);
}

/** PostgreSQL runs as another user where the tests run as root. */
function aFolderForAll(): string {
  const folder = aDirectory();
  chmodSync(folder, 0o755);
  return folder;
}

describe.skipIf(postgresSkipReason !== null)(`a PostgreSQL database${why}`, () => {
  it('gives numbers, bytes and the text of JSON', async () => {
    const database = await aPostgresDatabase();
    const [row] = await database.query(
      `SELECT 9007199254740991::bigint AS big, sum(n)::numeric AS sum, '\\x00ff'::bytea AS bytes,
        '{"a": 1}'::jsonb AS json, true AS yes, NULL AS none FROM generate_series(1, 3) n`,
    );
    expect(row).toEqual({
      big: Number.MAX_SAFE_INTEGER,
      sum: 6,
      bytes: Buffer.from([0, 255]),
      json: '{"a": 1}',
      yes: true,
      none: null,
    });
    await expect(database.query('SELECT 9007199254740993::bigint')).rejects.toThrow(
      'too big to be exact',
    );
  });

  it('keeps a transaction whole or not at all', async () => {
    const database = await aPostgresDatabase();
    await database.query(createTable);
    const failing = database.transaction(async ({ query }) => {
      await query('INSERT INTO t VALUES (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.transaction(({ query }) => query('INSERT INTO t VALUES (2)'), {
      durability: 'soon',
    });
    expect(await numbers(database)).toEqual([2]);
  });

  it('does not take a transaction for committed whose work ignored a failure', async () => {
    const database = await aPostgresDatabase();
    await database.query(createTable);
    const failing = database.transaction(async ({ query }) => {
      await query('INSERT INTO t VALUES (1)');
      await query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('went on after a statement had failed');
    expect(await numbers(database)).toEqual([]);
  });

  it('repeats what a deadlock rolled back', async () => {
    const database = await aPostgresDatabase();
    await database.query(createTable);
    await database.query("INSERT INTO t VALUES (1, ''), (2, '')");
    const met = Promise.withResolvers<void>();
    let began = 0;
    const both = [
      [1, 2],
      [2, 1],
    ].map((order) =>
      database.transaction(async ({ query }) => {
        for (const n of order) {
          await query(`UPDATE t SET text = text || 'x' WHERE n = $1`, [n]);
          began += 1;
          if (began === 2) met.resolve();
          await met.promise;
        }
      }),
    );
    await Promise.all(both);
    const rows = await database.query('SELECT text FROM t');
    expect(rows).toEqual([{ text: 'xx' }, { text: 'xx' }]);
  });

  it('can be closed twice and used again afterwards', async () => {
    const database = await aPostgresDatabase();
    await database.query(createTable);
    await database.close();
    await database.close();
    expect(await numbers(database)).toEqual([]);
  });

  it('opened for reading changes nothing', async () => {
    const url = await createSharedDatabase();
    const reader = await aPostgresDatabase({ url, isReadonly: true });
    await expect(reader.query('SELECT 1')).rejects.toMatchObject({ code: 'store.older_database' });
    const writer = await aPostgresDatabase({ url });
    await writer.query(createTable);
    expect(await numbers(reader)).toEqual([]);
    await expect(reader.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    const writing = reader.transaction(({ query }) => query('INSERT INTO t VALUES (1)'));
    await expect(writing).rejects.toMatchObject({ code: 'store.unavailable' });
  });

  it('says which version of the server answers', async () => {
    const database = await aPostgresDatabase();
    const { version, latencyMs } = await database.describe();
    expect(version).toMatch(/^\d+\.\d+/);
    expect(latencyMs).toBeLessThan(1_000);
  });
});

describe.skipIf(postgresSkipReason !== null)(`a PostgreSQL server that fails${why}`, () => {
  it('is waited for while it starts again, and nothing is lost or written twice', async () => {
    const server = await startPostgresServer(aFolderForAll());
    const database = await aPostgresDatabase({ url: server.url('postgres'), patienceMs: 20_000 });
    await database.query(createTable);
    const state = { isOver: false };
    const acknowledged: number[] = [];
    const writers = [0, 1, 2].map(async (writer) => {
      for (let n = writer; !state.isOver; n += 3) {
        await database.transaction(({ query }) => query('INSERT INTO t VALUES ($1)', [n]), {
          isKept: async (_result, { query }) =>
            (await query('SELECT 1 FROM t WHERE n = $1', [n])).length > 0,
        });
        acknowledged.push(n);
      }
    });
    for (let round = 0; round < 3; round += 1) {
      const before = acknowledged.length;
      await expect
        .poll(() => acknowledged.length, { timeout: 20_000 })
        .toBeGreaterThan(before + 50);
      await server.kill();
      await server.start();
    }
    state.isOver = true;
    // A primary key that is there twice would have failed.
    await Promise.all(writers);
    expect(await numbers(database)).toEqual(acknowledged.toSorted((a, b) => a - b));
    await database.close();
    await server.kill();
  });

  it('is named with what to do about it, without its password', async () => {
    const database = await aPostgresDatabase({
      url: 'postgres://me:secret@127.0.0.1:1/team',
      patienceMs: 50,
    });
    const failure = await database.query('SELECT 1').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'store.unavailable',
      retryable: true,
      message: expect.stringMatching(
        /postgres:\/\/127\.0\.0\.1:1\/team .*ECONNREFUSED.*MCP_DATABASE_URL/,
      ),
    });
    expect(String(failure)).not.toContain('secret');
  });

  it('that is busy is given up after a time', async () => {
    const database = await aPostgresDatabase();
    await database.query(createTable);
    await database.query('INSERT INTO t VALUES (1)');
    await database.transaction(async ({ query }) => {
      await query('SELECT 1 FROM t FOR UPDATE');
      const other = database.transaction(async (tx) => {
        await tx.query('SET LOCAL lock_timeout = 20');
        await tx.query('SELECT 1 FROM t FOR UPDATE');
      });
      await expect(other).rejects.toMatchObject({ code: 'store.busy', retryable: true });
    });
  });
});
