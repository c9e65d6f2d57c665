import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFiles } from './project-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-project-files-'));
const root = join(folder, 'root');
const other = join(folder, 'other');

beforeAll(() => {
  for (const path of ['root/src/deep', 'root/node_modules/x', 'root/.git', 'other', 'outside'])
    mkdirSync(join(folder, path), { recursive: true });
  const files = [
    'root/src/a.py',
    'root/src/deep/b.py',
    'root/node_modules/x/i.js',
    'root/.git/config',
    'root/readme.md',
    'other/c.py',
    'outside/secret.py',
  ];
  for (const path of files) writeFileSync(join(folder, path), 'x');
  symlinkSync(join(folder, 'outside'), join(root, 'out'));
  symlinkSync(join(root, 'src'), join(root, 'in'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixed = (...roots: string[]) => ({ current: async () => roots });

describe('files of the project', () => {
  it.each([
    ['src/a.py', 'file'],
    ['src', 'folder'],
    ['.', 'folder'],
    ['./src/../src', 'folder'],
    ['in/a.py', 'file'],
    ['c.py', 'file'],
    ['missing.py', undefined],
    ['out/secret.py', undefined],
    ['../outside/secret.py', undefined],
    ['', undefined],
    ['a\0b', undefined],
  ])('%j is %s', async (path, kind) => {
    expect(await projectFiles(fixed(root, other)).kind(path)).toBe(kind);
  });

  it('are found by absolute paths inside the roots alone', async () => {
    const files = projectFiles(fixed(root));
    expect(await files.kind(join(root, 'readme.md'))).toBe('file');
    expect(await files.kind(join(folder, 'outside/secret.py'))).toBeUndefined();
  });

  it('are listed shallow first, without dependencies, hidden folders and links', async () => {
    const files = projectFiles(fixed(root, other));
    expect(await files.list(10)).toEqual([
      'readme.md',
      'src/a.py',
      'src/deep/b.py',
      join(other, 'c.py'),
    ]);
    expect(await files.list(2)).toEqual(['readme.md', 'src/a.py']);
  });
});
