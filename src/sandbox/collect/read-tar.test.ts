import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeTar } from '../boot/encode-job.ts';
import { readTar } from './read-tar.ts';

let folder: string;
const longName = `${'long/'.repeat(40)}name.txt`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tar-'));
  mkdirSync(join(folder, 'long/'.repeat(40)), { recursive: true });
  writeFileSync(join(folder, longName), 'deep');
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'empty'), '');
  symlinkSync('/etc/passwd', join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const generous = { paths: [], maxFiles: 100, maxBytes: 1_000_000 };
const archive = (format: string): Buffer =>
  execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', folder, '.']);

describe('an archive from a sandbox', () => {
  it.each(['gnu', 'pax', 'ustar'])('of the format %s yields its regular files', (format) => {
    const { files, observations } = readTar(archive(format), generous);
    const found = files.map(({ path, bytes, isExecutable }) => ({
      path,
      text: Buffer.from(bytes).toString(),
      isExecutable,
    }));
    expect(found.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'empty', text: '', isExecutable: false },
      { path: longName, text: 'deep', isExecutable: false },
      { path: 'run.sh', text: '#!/bin/sh\n', isExecutable: true },
    ]);
    expect(observations).toEqual([
      { kind: 'file_not_collected', message: '"link" was not collected: it is no regular file' },
    ]);
  });

  it.each(['../up', '/etc/passwd', 'a/../../up', 'a/..'])(
    'with the name %s is not believed',
    (path) => {
      const tar = encodeTar([{ path, bytes: Buffer.from('x'), mode: 0o644 }]);
      const { files, observations } = readTar(tar, generous);
      expect(files).toEqual([]);
      expect(observations).toHaveLength(1);
    },
  );

  it('yields no more files and bytes than asked for, and tells the rest', () => {
    const tar = encodeTar(
      ['a', 'b', 'c'].map((path) => ({ path, bytes: Buffer.alloc(60), mode: 0o644 })),
    );
    const fewer = readTar(tar, { ...generous, maxFiles: 2 });
    expect(fewer.files).toHaveLength(2);
    expect(fewer.observations).toHaveLength(1);
    const smaller = readTar(tar, { ...generous, maxBytes: 100 });
    expect(smaller.files).toHaveLength(1);
    expect(smaller.observations).toHaveLength(2);
  });

  it('that is cut anywhere yields what is whole, and never fails', () => {
    const tar = archive('gnu');
    for (let length = 0; length <= tar.length; length += 97) {
      const { files } = readTar(tar.subarray(0, length), generous);
      expect(files.length).toBeLessThanOrEqual(3);
    }
  });

  it('of random bytes yields nothing, and never fails', () => {
    const tar = archive('gnu');
    for (let seed = 1; seed <= 200; seed += 1) {
      const broken = Buffer.from(tar);
      for (let at = seed; at < broken.length; at += 37 * seed) broken[at] = (at * seed) % 256;
      expect(() => readTar(broken, generous)).not.toThrow();
    }
  });
});
