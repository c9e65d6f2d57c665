import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { aSpan, hexId } from '../../testkit/observe/a-span.ts';
import type { Store } from './index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aStore } from '../../testkit/store/a-store.ts';

async function aFilledStore(): Promise<Store> {
  const store = aStore();
  await store.traces.record(
    Array.from({ length: 300 }, (_, n) => aSpan({ spanId: hexId(n + 1, 16) })),
  );
  return store;
}

describe('a backup', () => {
  it('is one file, for its owner alone, that a store opens with everything in it', async () => {
    const store = await aFilledStore();
    const directory = aDirectory();
    const target = join(directory, 'tutti.db');
    await store.backup(target);
    expect(readdirSync(directory)).toEqual(['tutti.db']);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    const restored = aStore({ home: directory });
    expect(await restored.traces.recent(localCaller, 5)).toMatchObject([{ spans: 300 }]);
    expect(restored.checkIntegrity()).toEqual({ ok: true, findings: [] });
  });

  it('contains what was written just before, while writing goes on', async () => {
    const store = await aFilledStore();
    const directory = aDirectory();
    const running = store.backup(join(directory, 'tutti.db'));
    await store.traces.record([aSpan({ traceId: hexId(5, 32) })]);
    await running;
    const restored = await aStore({ home: directory }).traces.recent(localCaller, 5);
    expect(restored).toContainEqual(expect.objectContaining({ spans: 300 }));
    expect(await store.traces.recent(localCaller, 5)).toHaveLength(2);
  });

  it('is made even of a store that nothing was written to yet', async () => {
    const directory = aDirectory();
    await aStore().backup(join(directory, 'tutti.db'));
    expect(await aStore({ home: directory }).traces.recent(localCaller, 5)).toEqual([]);
  });

  it('does not replace a file unless forced to', async () => {
    const store = await aFilledStore();
    const target = join(aDirectory(), 'mine.db');
    writeFileSync(target, 'precious');
    await expect(store.backup(target)).rejects.toMatchObject({ code: 'store.backup_refused' });
    expect(readFileSync(target, 'utf8')).toBe('precious');
    await store.backup(target, { force: true });
    expect(readFileSync(target).subarray(0, 15).toString()).toBe('SQLite format 3');
  });

  it('never replaces the database itself, not even through a link', async () => {
    const store = await aFilledStore();
    const link = join(aDirectory(), 'link.db');
    symlinkSync(store.path, link);
    for (const target of [store.path, link]) {
      await expect(store.backup(target, { force: true })).rejects.toMatchObject({
        code: 'store.backup_refused',
        message: expect.stringContaining('the database itself'),
      });
    }
    expect(await store.traces.recent(localCaller, 5)).toMatchObject([{ spans: 300 }]);
  });

  it('never replaces a file that belongs to the database, be it there or not', async () => {
    const store = await aFilledStore();
    const home = join(aDirectory(), 'home');
    symlinkSync(dirname(store.path), home);
    for (const suffix of ['-wal', '-shm', '-journal']) {
      for (const target of [`${store.path}${suffix}`, join(home, `tutti.db${suffix}`)]) {
        await expect(store.backup(target, { force: true })).rejects.toMatchObject({
          code: 'store.backup_refused',
          message: expect.stringContaining('belongs to it'),
        });
      }
    }
    expect(readdirSync(dirname(store.path)).sort()).toEqual([
      'tutti.db',
      'tutti.db-shm',
      'tutti.db-wal',
    ]);
    expect(await store.traces.recent(localCaller, 5)).toMatchObject([{ spans: 300 }]);
  });

  it('leaves nothing behind when it fails', async () => {
    const store = await aFilledStore();
    const directory = aDirectory();
    await expect(store.backup(join(directory, 'missing', 'b.db'))).rejects.toMatchObject({
      code: 'store.backup_failed',
    });
    await expect(store.backup(directory, { force: true })).rejects.toMatchObject({
      code: 'store.backup_failed',
    });
    expect(readdirSync(directory)).toEqual([]);
    expect(
      readdirSync(dirname(directory)).filter((name) => name.startsWith(`.${basename(directory)}`)),
    ).toEqual([]);
  });

  it('is not made of a damaged database', async () => {
    const home = aDirectory();
    writeFileSync(join(home, 'tutti.db'), 'nonsense '.repeat(1000));
    const target = join(aDirectory(), 'b.db');
    await expect(aStore({ home }).backup(target)).rejects.toMatchObject({ code: 'store.corrupt' });
    expect(existsSync(target)).toBe(false);
  });
});
