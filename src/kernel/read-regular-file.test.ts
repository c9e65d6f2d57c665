import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readFileStart, readRegularFile } from './read-regular-file.ts';

const maxBytes = 100_000;
let folder: string;
let outside: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'tutti-read-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  folder = join(root, 'inside');
  outside = join(root, 'insideout');
  mkdirSync(folder);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
});

const read = (name: string): Promise<string> =>
  readRegularFile(join(folder, name), { maxBytes, inside: [folder] }).then(String);

describe('a file of a folder', () => {
  it('is read whole, through links that stay inside and when it is as long as may be', async () => {
    writeFileSync(join(folder, 'a'), 'x'.repeat(maxBytes));
    symlinkSync('a', join(folder, 'link'));
    linkSync(join(folder, 'a'), join(folder, 'hard'));
    for (const name of ['a', 'link', 'hard', '../inside/a']) {
      expect(await read(name)).toHaveLength(maxBytes);
    }
  });

  it('is not read when it is longer; its beginning is', async () => {
    writeFileSync(join(folder, 'a'), 'x'.repeat(maxBytes + 1));
    await expect(read('a')).rejects.toMatchObject({ reason: 'too_large' });
    expect(String(await readFileStart(join(folder, 'a'), { maxBytes: 3 }))).toBe('xxx');
  });

  it.each([
    ['a pipe', () => void execFileSync('mkfifo', [join(folder, 'x')])],
    ['a link to a device', () => symlinkSync('/dev/zero', join(folder, 'x'))],
    ['a link to a terminal', () => symlinkSync('/dev/tty', join(folder, 'x'))],
    ['a folder', () => mkdirSync(join(folder, 'x'))],
  ])('that is %s is not read', async (_kind, make) => {
    make();
    await expect(read('x')).rejects.toMatchObject({ reason: 'special' });
  });

  it('that is a socket is not read', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(folder, 'x'), resolve));
    await expect(read('x')).rejects.toMatchObject({ reason: 'special' });
  });

  it.each([
    ['a link', () => symlinkSync(join(outside, 'secret'), join(folder, 'x'))],
    ['a relative link', () => symlinkSync('../insideout/secret', join(folder, 'x'))],
    [
      'a chain of links',
      () => {
        symlinkSync('y', join(folder, 'x'));
        symlinkSync(join(outside, 'secret'), join(folder, 'y'));
      },
    ],
    ['a link to a process', () => symlinkSync('/proc/self/environ', join(folder, 'x'))],
  ])('does not come from elsewhere by %s', async (_kind, make) => {
    make();
    await expect(read('x')).rejects.toMatchObject({ reason: 'outside' });
  });

  it('does not come from elsewhere by a linked folder or by dots', async () => {
    symlinkSync(outside, join(folder, 'sub'));
    for (const name of ['sub/secret', '../insideout/secret']) {
      await expect(read(name)).rejects.toMatchObject({ reason: 'outside' });
    }
  });

  it('that is missing is missing', async () => {
    await expect(read('none')).rejects.toMatchObject({ reason: 'missing' });
    writeFileSync(join(folder, 'a'), '');
    await expect(read('a/b')).rejects.toMatchObject({ reason: 'missing' });
  });
});

it.runIf(process.platform === 'linux')(
  'a file that says it is empty is read to the limit',
  async () => {
    const limits = { maxBytes: 8 };
    await expect(readRegularFile('/proc/kallsyms', limits)).rejects.toThrow('longer than 8 bytes');
    expect((await readFileStart('/proc/self/status', limits)).toString()).toMatch(/^Name:/);
  },
);
