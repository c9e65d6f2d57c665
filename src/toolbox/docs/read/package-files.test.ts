import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  aTemporaryProject,
  type TemporaryProject,
} from '../../../../testkit/toolbox/docs/temporary-project.ts';
import { PackageFiles } from './package-files.ts';
import { docsLimits } from '../library.ts';

describe('the files of a package', () => {
  let project: TemporaryProject;
  afterEach(() => project.remove());

  it('lists its own files, nearest first, without the packages and tests inside it', async () => {
    project = aTemporaryProject({
      'lib/deep/c.md': '',
      'lib/b.md': '',
      'a.md': '',
      'node_modules/x/README.md': '',
      'test/t.md': '',
      '.git/config': '',
    });
    const files = new PackageFiles(project.folder);
    expect(await files.list()).toEqual({
      files: ['a.md', 'lib/b.md', 'lib/deep/c.md'],
      isComplete: true,
    });
  });

  it('reads nothing outside of it: not by .., not absolutely, not by links to files or folders', async () => {
    project = aTemporaryProject({
      'secret.txt': 'secret',
      'outside/README.md': 'secret',
      'pkg/README.md': { link: '../secret.txt' },
      'pkg/docs': { link: '../outside' },
      'pkg/loop': { link: '.' },
      'pkg/own.md': 'own',
    });
    const files = new PackageFiles(join(project.folder, 'pkg'));
    expect((await files.list()).files).toEqual(['own.md']);
    for (const path of [
      'README.md',
      'docs/README.md',
      '../secret.txt',
      'loop/own.md',
      '/etc/passwd',
    ]) {
      expect(await files.read(path), path).toBeUndefined();
    }
    expect(await files.read('own.md')).toEqual({ text: 'own', isCut: false });
  });

  it('reads only the parts of a shared folder that are its own', async () => {
    project = aTemporaryProject({
      'one/a.py': '',
      'two/b.py': '',
      'three.py': '',
      link: { link: 'two' },
    });
    const files = new PackageFiles(project.folder, ['one', 'three.py', 'link', 'missing']);
    expect((await files.list()).files).toEqual(['one/a.py', 'three.py']);
  });

  it('reads the beginning of a huge file, up to a whole line', async () => {
    const line = `${'word '.repeat(20)}\n`;
    project = aTemporaryProject({ 'README.md': line.repeat(200_000) });
    const read = await new PackageFiles(project.folder).read('README.md');
    expect(read?.isCut).toBe(true);
    expect(read?.text.length).toBeLessThanOrEqual(docsLimits.maxFileBytes);
    expect(read?.text.endsWith('word ')).toBe(true);
  });

  it('leaves out what is no text, and reads text with a few broken characters', async () => {
    project = aTemporaryProject({
      'zero.md': Buffer.from([65, 0, 66]),
      'latin.md': Buffer.from(`Gr\u{FC}\u{DF}e aus dem Norden, ${'text '.repeat(20)}`, 'latin1'),
      'noise.md': Buffer.from(Array.from({ length: 400 }, (_, index) => 128 + (index % 64))),
      'windows.md': 'a\r\nb',
    });
    const files = new PackageFiles(project.folder);
    expect(await files.read('zero.md')).toBeUndefined();
    expect(await files.read('noise.md')).toBeUndefined();
    expect((await files.read('latin.md'))?.text).toContain('aus dem Norden');
    expect((await files.read('windows.md'))?.text).toBe('a\nb');
  });

  it('does not wait for a named pipe', async () => {
    project = aTemporaryProject();
    execFileSync('mkfifo', [join(project.folder, 'README.md')]);
    const files = new PackageFiles(project.folder);
    expect((await files.list()).files).toEqual([]);
    expect(await files.read('README.md')).toBeUndefined();
  });

  it('stops looking after so many names', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`f${index}.md`, '']),
    );
    project = aTemporaryProject(many);
    const files = new PackageFiles(project.folder, ['.'], { ...docsLimits, maxEntriesSeen: 100 });
    const listed = await files.list();
    expect(listed.isComplete).toBe(false);
    expect(listed.files.length).toBeLessThanOrEqual(100);
  });
});
