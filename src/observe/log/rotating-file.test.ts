import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { logLimits } from './create-log.ts';
import { RotatingFile } from './rotating-file.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('a rotating file', () => {
  it('is put aside before it grows beyond its limit, and the oldest goes', () => {
    const path = join(aDirectory(), 'logs', 'tutti.log');
    const file = new RotatingFile({ path, maxBytes: 10, backupCount: 2 });
    for (const line of ['one\n', 'two\n', 'three\n', 'four\n', 'five\n', 'six\n']) {
      expect(file.append(line)).toBe(true);
    }
    file.close();
    expect(read(path)).toBe('six\n');
    expect(read(`${path}.1`)).toBe('four\nfive\n');
    expect(read(`${path}.2`)).toBe('three\n');
    expect(existsSync(`${path}.3`)).toBe(false);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('goes on with a file that an earlier process left', () => {
    const path = join(aDirectory(), 'tutti.log');
    writeFileSync(path, 'before\n');
    const file = new RotatingFile({ path, maxBytes: 12, backupCount: 1 });
    file.append('a\n');
    expect(read(path)).toBe('before\na\n');
    file.append('now full\n');
    expect(read(`${path}.1`)).toBe('before\na\n');
    expect(read(path)).toBe('now full\n');
    file.close();
  });

  it('keeps a line longer than the limit whole, in a file of its own', () => {
    const path = join(aDirectory(), 'tutti.log');
    const file = new RotatingFile({ path, maxBytes: 10, backupCount: 3 });
    for (const line of ['a\n', `${'x'.repeat(50)}\n`, 'b\n']) file.append(line);
    file.close();
    expect(read(`${path}.1`)).toBe(`${'x'.repeat(50)}\n`);
    expect(read(path)).toBe('b\n');
  });

  it('keeps nothing aside when no backup is wanted', () => {
    const directory = aDirectory();
    const path = join(directory, 'tutti.log');
    const file = new RotatingFile({ path, maxBytes: 4, backupCount: 0 });
    for (const line of ['one\n', 'two\n']) file.append(line);
    file.close();
    expect(readdirSync(directory)).toEqual(['tutti.log']);
    expect(read(path)).toBe('two\n');
  });

  it('follows when the file is moved or removed by somebody else', () => {
    const path = join(aDirectory(), 'tutti.log');
    const file = new RotatingFile({ path, maxBytes: 1_000, backupCount: 1 });
    file.append('one\n');
    renameSync(path, `${path}.moved`);
    file.append('two\n');
    file.close();
    expect(read(`${path}.moved`)).toBe('one\n');
    expect(read(path)).toBe('two\n');
  });

  it('writes on while another process rotates, and clears a lock that a dead one left', () => {
    const path = join(aDirectory(), 'tutti.log');
    const file = new RotatingFile({ path, maxBytes: 4, backupCount: 1 });
    file.append('one\n');
    writeFileSync(`${path}.lock`, '');
    file.append('two\n');
    expect(read(path)).toBe('one\ntwo\n');
    const longAgo = (Date.now() - 2 * logLimits.staleLockMs) / 1000;
    utimesSync(`${path}.lock`, longAgo, longAgo);
    file.append('three\n');
    file.append('four\n');
    file.close();
    expect(read(`${path}.1`)).toBe('one\ntwo\nthree\n');
    expect(read(path)).toBe('four\n');
  });

  it('says so when it cannot write', () => {
    const path = join(aDirectory(), 'tutti.log');
    mkdirSync(path);
    const file = new RotatingFile({ path, maxBytes: 10_000, backupCount: 1 });
    expect(file.append('one\n')).toBe(false);
    file.close();
    expect(file.append('two\n')).toBe(false);
  });

  it('loses and mixes no line when several processes write and rotate at once', async () => {
    const directory = aDirectory();
    const path = join(directory, 'tutti.log');
    const program = fileURLToPath(
      new URL('../../../testkit/observe/write-log.ts', import.meta.url),
    );
    const writers = ['a', 'b', 'c'];
    const count = 800;
    const codes = await Promise.all(
      writers.map(async (writer) => {
        const args = [program, path, writer, String(count), '2000'];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
        return (await once(child, 'close'))[0] as unknown;
      }),
    );
    expect(codes).toEqual([0, 0, 0]);
    const files = readdirSync(directory);
    expect(files.length).toBeGreaterThan(5);
    const lines = files.flatMap((name) => read(join(directory, name)).split('\n').filter(Boolean));
    const seen = lines.map((line) => {
      const { writer, n } = JSON.parse(line) as { writer: string; n: number };
      return `${writer}${n}`;
    });
    const written = writers.flatMap((writer) =>
      Array.from({ length: count }, (_, n) => `${writer}${n}`),
    );
    expect(seen.sort()).toEqual(written.sort());
  });
});
