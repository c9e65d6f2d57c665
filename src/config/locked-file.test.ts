import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readBytes, withFileLock } from './locked-file.ts';
import { aProject } from '../../testkit/config/folders.ts';

/** Above every process id that systems hand out. */
const nobody = '4194399';

it('lets one at a time work on a file', async () => {
  const file = join(aProject().base, 'a.yaml');
  let working = 0;
  const most: number[] = [];
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withFileLock(file, async () => {
        working += 1;
        most.push(working);
        await new Promise(setImmediate);
        working -= 1;
      }),
    ),
  );
  expect(most).toEqual(most.map(() => 1));
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it('frees the file when the work fails', async () => {
  const file = join(aProject().base, 'a.yaml');
  await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(file, async () => 'yes')).toBe('yes');
});

it('does not wait for a process that is gone', async () => {
  const file = join(aProject().base, 'a.yaml');
  writeFileSync(`${file}.lock`, nobody);
  expect(await withFileLock(file, async () => 'yes')).toBe('yes');
});

it('does not wait for a lock that is older than any edit', async () => {
  const file = join(aProject().base, 'a.yaml');
  writeFileSync(`${file}.lock`, String(process.pid));
  utimesSync(`${file}.lock`, 1, 1);
  expect(await withFileLock(file, async () => 'yes')).toBe('yes');
});

it('gives up when another process holds on to it', async () => {
  const file = join(aProject().base, 'a.yaml');
  writeFileSync(`${file}.lock`, String(process.pid));
  await expect(withFileLock(file, async () => 'yes', 50)).rejects.toMatchObject({
    code: 'config.file_locked',
    retryable: true,
  });
  expect(existsSync(`${file}.lock`)).toBe(true);
});

it('says so when there is no such folder', async () => {
  const file = join(aProject().base, 'not', 'there.yaml');
  await expect(withFileLock(file, async () => 'yes')).rejects.toMatchObject({
    code: 'config.file_not_written',
  });
});

it('reads as much of a file as asked for, and refuses to wait at a pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bytes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'file'), 'abcdef');
  expect(Buffer.from((await readBytes(join(folder, 'file'), 3)) ?? []).toString()).toBe('abc');
  expect(await readBytes(join(folder, 'none'), 3)).toBeUndefined();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await expect(readBytes(join(folder, 'pipe'), 3)).rejects.toThrow('it is not a regular file');
});
