import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { systemClock } from '../kernel/index.ts';
import { traceLimits } from '../observe/index.ts';
import { aSpan, hexId } from '../../testkit/observe/a-span.ts';
import { migrations } from './sqlite/migrate.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteTraceStore } from './sqlite/sqlite-trace-store.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aStore } from '../../testkit/store/a-store.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a store', () => {
  it('touches no file until it is used', () => {
    const home = join(aDirectory(), 'deep', 'home');
    const store = aStore({ home });
    expect(store.exists()).toBe(false);
    expect(existsSync(home)).toBe(false);
  });

  it('is readable by its owner alone, with everything beside it', async () => {
    const home = join(aDirectory(), 'deep', 'home');
    const store = aStore({ home });
    await store.traces.record([aSpan()]);
    expect(modeOf(home)).toBe(0o700);
    expect(readdirSync(home).sort()).toEqual(['tutti.db', 'tutti.db-shm', 'tutti.db-wal']);
    for (const file of readdirSync(home)) expect(modeOf(join(home, file))).toBe(0o600);
  });

  it('can be closed twice and used again afterwards', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    store.close();
    store.close();
    expect(await store.traces.recent(localCaller, 1)).toHaveLength(1);
  });

  it('opened for reading reads what is there and creates nothing', async () => {
    const home = aDirectory();
    await expect(
      aStore({ home, readonly: true }).traces.recent(localCaller, 1),
    ).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    expect(readdirSync(home)).toEqual([]);
    await aStore({ home }).traces.record([aSpan()]);
    const reader = aStore({ home, readonly: true });
    expect(await reader.traces.recent(localCaller, 1)).toHaveLength(1);
    await expect(reader.traces.record([aSpan({ spanId: hexId(7, 16) })])).rejects.toMatchObject({
      code: 'store.unavailable',
    });
  });

  it('opened for reading does not upgrade an older database', async () => {
    const home = aDirectory();
    writeFileSync(join(home, 'tutti.db'), '');
    await expect(
      aStore({ home, readonly: true }).traces.recent(localCaller, 1),
    ).rejects.toMatchObject({
      code: 'store.older_database',
    });
  });
});

describe('a store that cannot be used', () => {
  it('says that a file is not a database and how to restore a backup', async () => {
    const home = aDirectory();
    writeFileSync(join(home, 'tutti.db'), 'this is no database '.repeat(100));
    const store = aStore({ home });
    await expect(store.traces.recent(localCaller, 1)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('To restore a backup: stop every Tutti'),
    });
    expect(store.checkIntegrity()).toMatchObject({ ok: false });
    expect(store.checkIntegrity().findings.at(-1)).toMatchObject({ kind: 'unusable' });
  });

  it('says that a damaged page makes it corrupt', async () => {
    const store = aStore();
    await store.traces.record(
      Array.from({ length: 500 }, (_, n) => aSpan({ spanId: hexId(n + 1, 16) })),
    );
    store.close();
    overwritePages(store.path);
    const { ok, findings } = store.checkIntegrity();
    expect(ok).toBe(false);
    expect(findings.length).toBeGreaterThan(0);
    await expect(store.traces.find(localCaller, aSpan().traceId)).rejects.toMatchObject({
      code: 'store.corrupt',
    });
  });

  it('says so when its directory cannot be made', async () => {
    const file = join(aDirectory(), 'file');
    writeFileSync(file, '');
    await expect(
      aStore({ home: join(file, 'home') }).traces.record([aSpan()]),
    ).rejects.toMatchObject({
      code: 'store.unavailable',
      message: expect.stringContaining(
        'Check that its directory exists, belongs to you and is writable',
      ),
    });
  });

  it('says so when the disk is full, and keeps what was there', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    store.close();
    const database = new SqliteDatabase({
      path: store.path,
      isReadonly: false,
      migrations,
      clock: systemClock,
      busyTimeoutMs: 100,
    });
    // SQLite then reports what it does when the file cannot grow.
    database.read((statements) => statements('PRAGMA max_page_count = 20').get());
    const traces = new SqliteTraceStore(database, { limits: traceLimits, busyTimeoutMs: 100 });
    const many = Array.from({ length: 2_000 }, (_, n) =>
      aSpan({ traceId: hexId(n, 32), attributes: { text: 'x'.repeat(500) } }),
    );
    await expect(traces.record(many)).rejects.toMatchObject({ code: 'store.disk_full' });
    expect(await traces.recent(localCaller, 10)).toHaveLength(1);
    database.close();
    expect(store.checkIntegrity().findings).toEqual([]);
  });

  it('gives up after its time when another process keeps the lock', async () => {
    const store = aStore({ spanBusyTimeoutMs: 50 });
    await store.traces.record([aSpan()]);
    const other = new DatabaseSync(store.path);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.traces.record([aSpan({ spanId: hexId(5, 16) })])).rejects.toMatchObject({
      code: 'store.busy',
      retryable: true,
    });
    other.exec('ROLLBACK');
    other.close();
    await store.traces.record([aSpan({ spanId: hexId(5, 16) })]);
    expect(await store.traces.recent(localCaller, 1)).toMatchObject([{ spans: 2 }]);
  });
});

describe('the integrity check', () => {
  it('finds nothing in a store that is sound', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
  });

  it('finds files that others may read', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    chmodSync(store.path, 0o644);
    expect(store.checkIntegrity()).toEqual({
      ok: false,
      findings: [
        {
          kind: 'permission',
          message: `${store.path} is open to others (mode 644): run "chmod go= ${store.path}"`,
        },
      ],
    });
  });

  it('finds a schema step that differs from the one the program has', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    const raw = new DatabaseSync(store.path);
    raw.exec("UPDATE schema_migrations SET checksum = 'other' WHERE version = 1");
    raw.close();
    expect(store.checkIntegrity().findings).toEqual([
      {
        kind: 'migration',
        message: 'the schema step 1 (spans) is not the one this program knows',
      },
    ]);
  });

  it('finds a row that refers to nothing', async () => {
    const store = aStore();
    await store.traces.record([aSpan()]);
    const raw = new DatabaseSync(store.path);
    raw.exec(`PRAGMA foreign_keys = OFF;
      CREATE TABLE child (span INTEGER REFERENCES spans (id)) STRICT;
      INSERT INTO child VALUES (77)`);
    raw.close();
    expect(store.checkIntegrity().findings).toEqual([
      { kind: 'reference', message: 'row 1 of child refers to nothing in spans' },
    ]);
  });
});

/** Writes nonsense over every page but the first, as a dying disk would. */
function overwritePages(path: string): void {
  const pageBytes = 4096;
  const descriptor = openSync(path, 'r+');
  for (let offset = pageBytes; offset < statSync(path).size; offset += pageBytes) {
    writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, offset);
  }
  closeSync(descriptor);
}
