import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CollectRequest } from '../../contract/sandbox/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { collectFiles, listWritten } from './collect-files.ts';

const all: CollectRequest = { paths: [], maxFiles: 100, maxBytes: 1_000_000 };

function opened(directory: string): number {
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  onTestFinished(() => closeSync(fd));
  return fd;
}

async function collect(directory: string, request: Partial<CollectRequest> = {}) {
  const { files, observations } = await collectFiles(opened(directory), { ...all, ...request });
  return {
    files: Object.fromEntries(
      files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
    ),
    messages: observations.map(({ message }) => message),
    executables: files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path),
  };
}

// Folders are walked by the file descriptors in /proc.
describe.skipIf(process.platform !== 'linux')('collecting files', () => {
  it('brings back regular files with their paths and whether they can be executed', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'a/b'), { recursive: true });
    writeFileSync(join(directory, 'a/b/deep.txt'), 'deep');
    writeFileSync(join(directory, 'top'), '');
    writeFileSync(join(directory, 'run.sh'), 'x');
    chmodSync(join(directory, 'run.sh'), 0o755);
    expect(await collect(directory)).toEqual({
      files: { 'a/b/deep.txt': 'deep', top: '', 'run.sh': 'x' },
      messages: [],
      executables: ['run.sh'],
    });
  });

  it('tells of names that would pass for something else without saying them', async () => {
    const directory = aDirectory();
    const name = 'a\nforged\u001b[31m';
    symlinkSync('/', join(directory, name));
    writeFileSync(join(directory, `b${name}`), '');
    const { messages } = await collect(directory);
    const [written] = listWritten(opened(directory), new Set());
    expect(messages).toEqual([
      '"a\uFFFDforged\uFFFD[31m" was not collected: it is no regular file',
    ]);
    expect(written?.message).toBe('1 files of 0 bytes were left: ba\uFFFDforged\uFFFD[31m');
  });

  it('goes on when a folder cannot be listed', async () => {
    const file = join(aDirectory(), 'file');
    writeFileSync(file, '');
    const fd = openSync(file, constants.O_RDONLY);
    onTestFinished(() => closeSync(fd));
    const { files, observations } = await collectFiles(fd, all);
    expect(files).toEqual([]);
    expect(observations.map(({ message }) => message)).toEqual([
      '"." was not collected: it could not be opened',
    ]);
    expect(listWritten(fd, new Set())).toEqual([]);
  });

  it('brings back only what was asked for, and each file once', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'out'));
    writeFileSync(join(directory, 'out/a'), '1');
    writeFileSync(join(directory, 'out/b'), '2');
    writeFileSync(join(directory, 'other'), '3');
    const { files, messages } = await collect(directory, { paths: ['out/a', './out/', 'missing'] });
    expect(files).toEqual({ 'out/a': '1', 'out/b': '2' });
    expect(messages).toEqual(['"missing" was not collected: there is no such file']);
  });

  it('follows no link, neither as a file, nor as a folder, nor on the way', async () => {
    const outside = aDirectory();
    writeFileSync(join(outside, 'secret'), 'secret');
    const directory = aDirectory();
    symlinkSync(join(outside, 'secret'), join(directory, 'file'));
    symlinkSync(outside, join(directory, 'folder'));
    symlinkSync('/etc/passwd', join(directory, 'passwd'));
    const whole = await collect(directory);
    expect(whole.files).toEqual({});
    expect(whole.messages).toHaveLength(3);
    const named = await collect(directory, {
      paths: ['file', 'folder/secret', '../secret', 'folder', '/etc/passwd', 'passwd'],
    });
    expect(named.files).toEqual({});
    expect(named.messages).toHaveLength(6);
  });

  it('does not wait for pipes and leaves sockets alone', async () => {
    const directory = aDirectory();
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    const server = createServer().listen(join(directory, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const { files, messages } = await collect(directory);
    const named = await collect(directory, { paths: ['pipe', 'socket'] });
    server.close();
    expect([files, named.files]).toEqual([{}, {}]);
    expect(messages.sort()).toEqual([
      '"pipe" was not collected: it is no regular file',
      '"socket" was not collected: it is no regular file',
    ]);
    expect(named.messages).toHaveLength(2);
  });

  it('counts a file with holes by its size, and takes what still fits', async () => {
    const directory = aDirectory();
    writeFileSync(join(directory, 'sparse'), '');
    truncateSync(join(directory, 'sparse'), 4 * 1024 ** 3);
    writeFileSync(join(directory, 'small'), 'small');
    const { files, messages } = await collect(directory, { maxBytes: 1000 });
    expect(files).toEqual({ small: 'small' });
    expect(messages).toEqual([
      '"sparse" was not collected: its 4294967296 bytes would exceed 1000 bytes of all files together',
    ]);
  });

  it('stops at its number of files and tells how many were left, not each', async () => {
    const directory = aDirectory();
    for (let index = 0; index < 60; index += 1) writeFileSync(join(directory, `f${index}`), 'x');
    const { files, messages } = await collect(directory, { maxFiles: 5 });
    expect(Object.keys(files)).toHaveLength(5);
    expect(messages).toHaveLength(21);
    expect(messages.at(-1)).toBe('35 more files were not collected');
  });

  it('stops in a tree of thousands of folders, and closes all it opened', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, Array.from({ length: 100 }, () => 'd').join('/')), {
      recursive: true,
    });
    const before = readdirSync('/proc/self/fd').length;
    const { messages } = await collect(directory);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('it lies deeper than 64 folders');
    const tooDeep = await collect(directory, { paths: [Array(80).fill('d').join('/')] });
    expect(tooDeep.messages[0]).toContain('it is too deep');
    expect(readdirSync('/proc/self/fd').length).toBe(before + 2);
  });

  it('leaves out names that are no text', async () => {
    const directory = aDirectory();
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/bad`), Buffer.from([0xff])]), 'x');
    const { files, messages } = await collect(directory);
    expect(files).toEqual({});
    expect(messages[0]).toContain('its name is not UTF-8');
  });
});

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('listing what was written', () => {
  it('names files besides those that were given', () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'out'));
    writeFileSync(join(directory, 'main.py'), 'given');
    writeFileSync(join(directory, 'out/made.txt'), '12345');
    expect(listWritten(opened(directory), new Set(['main.py']))).toEqual([
      { kind: 'files_written', message: '1 files of 5 bytes were left: out/made.txt' },
    ]);
    expect(listWritten(opened(directory), new Set(['main.py', 'out/made.txt']))).toEqual([]);
  });

  it('names only the first of thousands', () => {
    const directory = aDirectory();
    for (let index = 0; index < 2100; index += 1) writeFileSync(join(directory, `f${index}`), '');
    const [observation] = listWritten(opened(directory), new Set());
    expect(observation?.message).toMatch(/^at least 2000 files of 0 bytes were left: f\d+, .* …$/);
    expect(observation?.message.length).toBeLessThan(400);
  });
});
