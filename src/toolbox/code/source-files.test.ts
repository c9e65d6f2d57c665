import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../kernel/index.ts';
import {
  inlinePath,
  SourceFiles,
  type SourceRequest,
  type UnreadableFile,
} from './source-files.ts';

const signal = new AbortController().signal;

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'tutti-sources-'));
  root = join(base, 'project');
  await mkdir(join(root, 'src', 'deep'), { recursive: true });
  await mkdir(join(base, 'outside'));
  await writeFile(join(root, 'src', 'a.py'), 'a = 1\n');
  await writeFile(join(root, 'src', 'deep', 'b.ts'), 'let b = 1;\n');
  await writeFile(join(root, 'src', 'notes.txt'), 'no code');
  await writeFile(join(base, 'outside', 'secret.py'), 'secret = 1\n');
});

afterEach(() => rm(base, { recursive: true, force: true }));

const swapMs = 1_500;

const swapForever = `
const { renameSync } = require('node:fs');
const [folder, base] = process.argv.slice(1);
console.log('started');
for (;;) {
  renameSync(folder, base + '/kept');
  renameSync(base + '/link', folder);
  renameSync(folder, base + '/link');
  renameSync(base + '/kept', folder);
}`;

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : String(error);
}

function resolvePaths(request: SourceRequest, roots = [root]): Promise<string[]> {
  return new SourceFiles(roots)
    .resolve(request, signal)
    .then((files) => files.map((file) => file.path));
}

describe('a file of another language', () => {
  beforeEach(async () => {
    await writeFile(join(root, 'src', 'run.sh'), '#!/bin/sh\nselect a from b\n');
    await writeFile(join(root, 'Dockerfile'), 'FROM a\n');
    await writeFile(join(root, 'README.md'), '# SELECT * FROM b;\n');
  });

  it('is named where its folder is read', async () => {
    const left: string[] = [];
    const files = await new SourceFiles([root]).resolve({ path: '.' }, signal, {
      onLeftOut: ({ path, reason }) => left.push(`${path} ${reason}`),
    });
    expect(files.map(({ path }) => path)).toEqual(['src/a.py', 'src/deep/b.ts']);
    expect(left.toSorted()).toEqual(['Dockerfile unsupported', 'src/run.sh unsupported']);
  });

  it.each(['Dockerfile', 'src/run.sh', 'README.md'])('is never guessed: %s', async (path) => {
    await expect(resolvePaths({ path })).rejects.toMatchObject({
      code: 'code.language_unknown',
      message: expect.stringContaining('scan_secrets'),
    });
    expect(await resolvePaths({ path, language: 'sql' })).toEqual([path]);
  });
});

describe('what a request names', () => {
  it('is the text itself, with its language detected or as given', async () => {
    const sources = new SourceFiles([root]);
    const [detected] = await sources.resolve({ code: 'def f():\n    pass\n' }, signal);
    expect(detected).toEqual({
      path: inlinePath,
      text: 'def f():\n    pass\n',
      language: 'python',
    });
    const [given] = await sources.resolve({ code: 'x', language: 'go' }, signal);
    expect(given?.language).toBe('go');
  });

  it('is a file relative to a root or by its absolute path', async () => {
    expect(await resolvePaths({ path: 'src/a.py' })).toEqual(['src/a.py']);
    expect(await resolvePaths({ path: join(root, 'src/a.py') })).toEqual([join(root, 'src/a.py')]);
    expect(await resolvePaths({ path: 'src/../src/a.py' })).toEqual(['src/../src/a.py']);
  });

  it('is every file of a known language below a folder, in a stable order', async () => {
    expect(await resolvePaths({ path: '.' })).toEqual(['src/a.py', 'src/deep/b.ts']);
    expect(await resolvePaths({ path: 'src' })).toEqual(['src/a.py', 'src/deep/b.ts']);
  });

  it('is what a glob matches, alternatives included', async () => {
    expect(await resolvePaths({ path: 'src/**/*.{py,ts}' })).toEqual(['src/a.py', 'src/deep/b.ts']);
    expect(await resolvePaths({ path: `${root}/src/*.py` })).toEqual(['src/a.py']);
  });

  it('leaves out folders that hold what others wrote', async () => {
    await mkdir(join(root, 'node_modules', 'x'), { recursive: true });
    await writeFile(join(root, 'node_modules', 'x', 'i.js'), 'x = 1');
    expect(await resolvePaths({ path: '.' })).toEqual(['src/a.py', 'src/deep/b.ts']);
    expect(await resolvePaths({ path: 'node_modules/x/i.js' })).toEqual(['node_modules/x/i.js']);
  });

  it('is a file whose own name looks like a glob', async () => {
    await writeFile(join(root, 'src', '[id].ts'), 'let x = 1;\n');
    expect(await resolvePaths({ path: 'src/[id].ts' })).toEqual(['src/[id].ts']);
  });

  it('may lie in any of several roots', async () => {
    const outside = join(base, 'outside');
    expect(await resolvePaths({ path: 'secret.py' }, [root, outside])).toEqual(['secret.py']);
    expect(await resolvePaths({ path: `${outside}/*.py` }, [root, outside])).toEqual(['secret.py']);
  });
});

describe('what lies outside the roots', () => {
  it.each([
    ['a parent folder', '../outside/secret.py'],
    ['a parent folder in the middle', 'src/../../outside/secret.py'],
    ['a glob in a parent folder', '../outside/*.py'],
    ['a glob that steps up in the middle', 'src/*/../../../outside/*.py'],
    ['alternatives that step up', '{src,../outside}/*.py'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute glob', '/etc/*.conf'],
    ['a NUL character', 'src/a.py\0.txt'],
  ])('is refused: %s', async (_what, path) => {
    await expect(resolvePaths({ path })).rejects.toMatchObject({ code: 'code.outside_roots' });
  });

  it('is refused when a sibling folder only starts with the name of a root', async () => {
    await mkdir(join(base, 'project-other'));
    await writeFile(join(base, 'project-other', 'x.py'), 'x = 1');
    const path = join(base, 'project-other', 'x.py');
    await expect(resolvePaths({ path })).rejects.toMatchObject({ code: 'code.outside_roots' });
  });

  it('is refused when a link to a file leads there', async () => {
    await symlink(join(base, 'outside', 'secret.py'), join(root, 'src', 'link.py'));
    await expect(resolvePaths({ path: 'src/link.py' })).rejects.toMatchObject({
      code: 'code.outside_roots',
    });
  });

  it('is refused when a link to a folder leads there, and not entered by a search', async () => {
    await symlink(join(base, 'outside'), join(root, 'linked'));
    for (const path of ['linked', 'linked/secret.py']) {
      await expect(resolvePaths({ path })).rejects.toMatchObject({ code: 'code.outside_roots' });
    }
    expect(await resolvePaths({ path: '.' })).toEqual(['src/a.py', 'src/deep/b.ts']);
  });

  it('is refused by the reader itself, whoever hands it the path', async () => {
    const sources = new SourceFiles([root]);
    const path = join(base, 'outside', 'secret.py');
    await expect(sources.readText(path, 'secret.py')).rejects.toMatchObject({
      code: 'code.outside_roots',
    });
  });

  // The reader holds what it opened by /proc/self/fd, which only Linux has.
  it.runIf(process.platform === 'linux')(
    'is not read while a folder is swapped for a link to there and back',
    async () => {
      await writeFile(join(base, 'outside', 'a.py'), 'secret = 1\n');
      await symlink(join(base, 'outside'), join(base, 'link'));
      const swapper = spawn(process.execPath, ['-e', swapForever, join(root, 'src'), base]);
      try {
        await once(swapper.stdout, 'data');
        const sources = new SourceFiles([root]);
        const path = join(root, 'src', 'a.py');
        const outcomes = new Set<string>();
        for (const end = performance.now() + swapMs; performance.now() < end;) {
          outcomes.add(await sources.readText(path, 'a.py').catch(codeOf));
        }
        expect(outcomes).not.toContain('secret = 1\n');
        // Both were met: the folder itself, and the link in its place.
        expect([...outcomes]).toEqual(expect.arrayContaining(['a = 1\n', 'code.outside_roots']));
      } finally {
        swapper.kill('SIGKILL');
        await once(swapper, 'exit');
      }
    },
  );

  it('is not what a link inside the roots leads to', async () => {
    await symlink(join(root, 'src', 'a.py'), join(root, 'inside.py'));
    expect(await resolvePaths({ path: 'inside.py' })).toEqual(['inside.py']);
  });
});

describe('what cannot be read', () => {
  it('is a request with neither or both of code and path', async () => {
    await expect(resolvePaths({})).rejects.toMatchObject({ code: 'code.no_source' });
    await expect(resolvePaths({ code: 'x', path: 'src' })).rejects.toMatchObject({
      code: 'code.no_source',
    });
  });

  it('is what is not there: a file, a glob without a match, a link to nothing, a link to itself', async () => {
    await symlink(join(root, 'gone.py'), join(root, 'broken.py'));
    await symlink(join(root, 'loop.py'), join(root, 'loop.py'));
    for (const path of ['none.py', 'src/*.rs', 'broken.py', 'loop.py', '*.py']) {
      await expect(resolvePaths({ path })).rejects.toMatchObject({ code: 'code.no_files' });
    }
  });

  it('is a file that is larger than allowed, and more files or bytes than allowed', async () => {
    const limits = { maxFiles: 1, maxFileBytes: 5, maxTotalBytes: 100 };
    const sources = new SourceFiles([root], limits);
    const tooMuch = { code: 'code.too_much_source' };
    await expect(sources.resolve({ path: 'src/a.py' }, signal)).rejects.toMatchObject(tooMuch);
    await expect(sources.resolve({ path: 'src' }, signal)).rejects.toMatchObject(tooMuch);
    await expect(sources.resolve({ code: '123456', language: 'go' }, signal)).rejects.toMatchObject(
      tooMuch,
    );
    const small = new SourceFiles([root], { maxFiles: 9, maxFileBytes: 99, maxTotalBytes: 10 });
    await expect(small.resolve({ path: 'src' }, signal)).rejects.toMatchObject(tooMuch);
  });

  it('is what is not UTF-8, holds NUL, or is no regular file', async () => {
    await writeFile(join(root, 'latin.py'), Buffer.from([0x23, 0xe9, 0x0a]));
    await writeFile(join(root, 'binary.py'), Buffer.from([0x23, 0x00, 0x0a]));
    execFileSync('mkfifo', [join(root, 'pipe.py')]);
    for (const path of ['latin.py', 'binary.py', 'pipe.py']) {
      await expect(resolvePaths({ path })).rejects.toMatchObject({ code: 'code.not_text' });
    }
    const sources = new SourceFiles([root]);
    await expect(sources.readText(join(root, 'pipe.py'), 'pipe.py')).rejects.toMatchObject({
      code: 'code.not_text',
    });
  });

  it('is a text whose language nobody recognises', async () => {
    const unknown = { code: 'code.language_unknown' };
    await expect(resolvePaths({ code: 'lorem ipsum' })).rejects.toMatchObject(unknown);
    await expect(resolvePaths({ path: 'src/notes.txt' })).rejects.toMatchObject(unknown);
  });

  it('is left out and reported when it is one file of several and the caller wants that', async () => {
    await writeFile(join(root, 'src', 'latin.py'), Buffer.from([0x23, 0xe9, 0x0a]));
    const unreadable: UnreadableFile[] = [];
    const sources = new SourceFiles([root]);
    const files = await sources.resolve({ path: 'src' }, signal, {
      onUnreadable: (file) => unreadable.push(file),
    });
    expect(files.map((file) => file.path)).toEqual(['src/a.py', 'src/deep/b.ts']);
    expect(unreadable).toMatchObject([{ path: 'src/latin.py', error: { code: 'code.not_text' } }]);
    await expect(sources.resolve({ path: 'src' }, signal)).rejects.toMatchObject({
      code: 'code.not_text',
    });
  });

  it('ends with the reason of the signal when the call is cancelled', async () => {
    const cancel = new AbortController();
    cancel.abort(new Error('cancelled'));
    const sources = new SourceFiles([root]);
    await expect(sources.resolve({ path: 'src' }, cancel.signal)).rejects.toThrow('cancelled');
  });
});

describe('the text of a file', () => {
  it('has no byte order mark and keeps its line ends', async () => {
    await writeFile(join(root, 'bom.py'), '\uFEFFa = 1\r\nb = 2\n');
    const [file] = await new SourceFiles([root]).resolve({ path: 'bom.py' }, signal);
    expect(file?.text).toBe('a = 1\r\nb = 2\n');
  });
});

it('finds a folder inside the roots by its real path, and refuses a file or nothing', async () => {
  const sources = new SourceFiles([root]);
  expect(await sources.findFolder('src')).toMatch(/project\/src$/);
  for (const path of ['src/a.py', 'none']) {
    await expect(sources.findFolder(path)).rejects.toMatchObject({ code: 'code.no_files' });
  }
});
