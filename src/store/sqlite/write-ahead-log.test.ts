import { copyFileSync, fdatasyncSync, fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { migrations } from './migrate.ts';
import { SqliteDatabase, type Statements } from './sqlite-database.ts';

function aDatabase(
  path: string,
  syncFile: (file: number) => void,
  syncFileLater?: (file: number) => Promise<void>,
): SqliteDatabase {
  const database = new SqliteDatabase({
    ...(syncFileLater && { syncFileLater }),
    path,
    isReadonly: false,
    migrations,
    clock: systemClock,
    busyTimeoutMs: 1_000,
    syncFile,
  });
  onTestFinished(() => database.close());
  return database;
}

const aPath = (): string => join(aDirectory(), 'tutti.db');

const full = { durability: 'full' } as const;

const normal = { durability: 'normal' } as const;

/** One of the smallest tables there is. */
const add =
  (id: string, value = 'x') =>
  (statements: Statements): unknown =>
    statements('INSERT INTO preferences (caller_id, preference) VALUES (?, ?)').run(id, value);

function idsIn(path: string): readonly string[] {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare('SELECT caller_id FROM preferences ORDER BY caller_id').all();
    return rows.map((row) => String(row['caller_id']));
  } finally {
    database.close();
  }
}

describe('a write that is to survive the loss of power', () => {
  it('is committed, then synced, and only then acknowledged', () => {
    const path = aPath();
    const events: string[] = [];
    const database = aDatabase(path, (file) => {
      expect(fstatSync(file).ino).toBe(statSync(`${path}-wal`).ino);
      events.push(`sync with ${idsIn(path).join(' ')}`);
      fdatasyncSync(file);
    });
    database.write(full, add('a'));
    events.push('acknowledged');
    database.write(full, add('b'));
    events.push('acknowledged');
    expect(events).toEqual(['sync with a', 'acknowledged', 'sync with a b', 'acknowledged']);
  });

  it('is the only one that is waited for', () => {
    let syncs = 0;
    const database = aDatabase(aPath(), () => (syncs += 1));
    database.write(normal, add('a'));
    database.write(normal, add('b'));
    expect(syncs).toBe(0);
    database.write(full, add('c'));
    expect(syncs).toBe(1);
  });

  it('is found in the files as they were at its sync, before and after the log begins anew', () => {
    const path = aPath();
    const copy = join(aDirectory(), 'copy.db');
    const database = aDatabase(path, () => {
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
    });
    const wanted: string[] = [];
    const found: (readonly string[])[] = [];
    const expected: (readonly string[])[] = [];
    // Twice as many pages as the log holds before it is copied back.
    const pageText = 'x'.repeat(400_000);
    for (let n = 100; n < 180; n += 1) {
      database.write(n % 2 === 0 ? normal : full, add(String(n), pageText));
      wanted.push(String(n));
      if (n % 20 !== 19) continue;
      found.push(idsIn(copy));
      expected.push([...wanted]);
    }
    expect(found).toEqual(expected);
  });

  it('fails when its sync does, as do all later ones, while nothing else is kept from writing', () => {
    let failures = 0;
    const path = aPath();
    const database = aDatabase(path, () => {
      failures += 1;
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), {
        code: 'EIO',
        syscall: 'fdatasync',
      });
    });
    const unavailable = expect.objectContaining({ code: 'store.unavailable' });
    expect(() => database.write(full, add('a'))).toThrow(unavailable);
    expect(() => database.write(full, add('b'))).toThrow(unavailable);
    expect(failures).toBe(1);
    database.write(normal, add('c'));
    expect(idsIn(path)).toEqual(['a', 'c']);
  });

  it('is synced anew by a database that was opened again', () => {
    let isBroken = true;
    const database = aDatabase(aPath(), () => {
      if (isBroken) throw new Error('broken');
    });
    expect(() => database.write(full, add('a'))).toThrow('broken');
    database.close();
    isBroken = false;
    database.write(full, add('b'));
    expect(idsIn(database.options.path)).toEqual(['a', 'b']);
  });
});

describe('waiting for the disk while others have their turns', () => {
  const never = (): never => {
    throw new Error('must not be called');
  };

  it('ends after a sync that began after the last write', async () => {
    const syncs: (() => void)[] = [];
    const database = aDatabase(
      aPath(),
      never,
      () => new Promise((resolve) => void syncs.push(resolve)),
    );
    const ended: string[] = [];
    const wait = (name: string): Promise<unknown> =>
      database.synced().then(() => void ended.push(name));
    database.write(normal, add('a'));
    const waits = [wait('a'), wait('also a')];
    database.write(normal, add('b'));
    waits.push(wait('b'));
    expect(syncs).toHaveLength(2);
    syncs[0]?.();
    await Promise.all(waits.slice(0, 2));
    expect(ended).toEqual(['a', 'also a']);
    syncs[1]?.();
    await Promise.all(waits);
    expect(ended).toEqual(['a', 'also a', 'b']);
  });

  it('fails with its sync, and then nothing is written that would have to wait', async () => {
    const database = aDatabase(aPath(), never, async () => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall: 'fdatasync' });
    });
    database.write(normal, add('a'));
    const unavailable = expect.objectContaining({ code: 'store.unavailable' });
    await expect(database.synced()).rejects.toEqual(unavailable);
    expect(() => database.assertSyncable()).toThrow(unavailable);
    expect(() => database.write(full, add('b'))).toThrow(unavailable);
    expect(idsIn(database.options.path)).toEqual(['a']);
  });

  it('goes on with the file it has when the database is closed meanwhile', async () => {
    let finish = (): void => {};
    let file = -1;
    const database = aDatabase(aPath(), never, async (given) => {
      file = given;
      await new Promise<void>((resolve) => (finish = resolve));
      expect(fstatSync(given).isFile()).toBe(true);
    });
    database.write(normal, add('a'));
    const synced = database.synced();
    database.close();
    finish();
    await synced;
    expect(() => fstatSync(file)).toThrow('EBADF');
  });
});

describe('a write that is to survive the loss of power soon', () => {
  const soon = { durability: 'soon' } as const;

  function aSlowDisk() {
    const syncs: (() => void)[] = [];
    const atOnce: number[] = [];
    const database = aDatabase(
      aPath(),
      (file) => void atOnce.push(file),
      () => new Promise((resolve) => void syncs.push(resolve)),
    );
    const finish = async (): Promise<void> => {
      syncs.at(-1)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { database, syncs, atOnce, finish };
  }

  it('is waited for by nobody, and its sync begins at once', () => {
    const { database, syncs, atOnce } = aSlowDisk();
    database.write(soon, add('a'));
    expect(syncs).toHaveLength(1);
    expect(atOnce).toEqual([]);
  });

  it('shares the next sync with all that came while one was under way', async () => {
    const { database, syncs, finish } = aSlowDisk();
    for (const id of ['a', 'b', 'c']) database.write(soon, add(id));
    expect(syncs).toHaveLength(1);
    await finish();
    await expect.poll(() => syncs.length).toBe(2);
    await finish();
    expect(syncs).toHaveLength(2);
    database.write(soon, add('d'));
    await expect.poll(() => syncs.length).toBe(3);
  });

  it('is synced by the one after it that is waited for, and by closing', () => {
    const { database, atOnce } = aSlowDisk();
    database.write(soon, add('a'));
    database.write(soon, add('b'));
    database.write(full, add('c'));
    expect(atOnce).toHaveLength(1);
    database.close();
    expect(atOnce).toHaveLength(2);
  });

  it('fails once a sync has failed, before anything is written', async () => {
    const database = aDatabase(aPath(), fdatasyncSync, async () => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall: 'fdatasync' });
    });
    database.write(soon, add('a'));
    await new Promise((resolve) => setImmediate(resolve));
    const unavailable = expect.objectContaining({ code: 'store.unavailable' });
    expect(() => database.write(soon, add('b'))).toThrow(unavailable);
    expect(() => database.write(full, add('c'))).toThrow(unavailable);
    expect(idsIn(database.options.path)).toEqual(['a']);
  });
});
