import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';
import { aProject } from './testing/folders.ts';

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
