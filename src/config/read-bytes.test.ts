import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readBytes } from './read-bytes.ts';

it('reads as much of a file as asked for, and refuses to wait at a pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bytes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'file'), 'abcdef');
  expect(Buffer.from((await readBytes(join(folder, 'file'), 3)) ?? []).toString()).toBe('abc');
  expect(await readBytes(join(folder, 'none'), 3)).toBeUndefined();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await expect(readBytes(join(folder, 'pipe'), 3)).rejects.toThrow('it is not a regular file');
});
