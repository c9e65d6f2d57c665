import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultProjectLimits, gatherFolder, gatherProject } from './gather-project.ts';

function aTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(join(tmpdir(), 'tutti-project-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const { signal } = new AbortController();

describe('gathering a project', () => {
  it('takes its files, text or not, and leaves out what is installed, built or secret', async () => {
    const root = aTree({
      'a.py': 'x = 1',
      'data/picture.bin': new Uint8Array([0, 255]),
      '.git/config': '',
      'node_modules/x/index.js': '',
      'target/debug/x': '',
      'env/pyvenv.cfg': '',
      'env/lib/x.py': '',
      '.env': 'KEY=secret',
    });
    const project = await gatherProject('.', { roots: [root], signal });
    expect(Object.keys(project.files).sort()).toEqual(['a.py', 'data/picture.bin']);
    expect(project.notes).toEqual([]);
  });

  it('finds installed dependencies beside it, or above it inside the roots', async () => {
    const root = aTree({
      'node_modules/x/index.js': '',
      'package/a.js': '',
      'package/.venv/lib/python3.12/site-packages/x.py': '',
    });
    const { dependencies } = await gatherProject('package', { roots: [root], signal });
    expect(dependencies.nodeModules).toBe(join(root, 'node_modules'));
    expect(dependencies.sitePackages).toBe(
      join(root, 'package/.venv/lib/python3.12/site-packages'),
    );
    const inside = await gatherProject('.', { roots: [join(root, 'package')], signal });
    expect(inside.dependencies.nodeModules).toBeUndefined();
  });

  it('leaves out links that lead outside and says so, and follows none to folders', async () => {
    const outside = aTree({ 'secret.txt': 'secret' });
    const root = aTree({ 'a.py': '', 'b/c.py': '' });
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(join(root, 'a.py'), join(root, 'own.py'));
    symlinkSync('/', join(root, 'b/node_modules'));
    const project = await gatherProject('.', { roots: [root], signal });
    expect(Object.keys(project.files).sort()).toEqual(['a.py', 'b/c.py', 'own.py']);
    expect(project.notes).toHaveLength(2);
    const below = await gatherProject('b', { roots: [root], signal });
    expect(below.dependencies.nodeModules).toBeUndefined();
  });

  it.each([
    ['tests/test_a.py', ['conftest.py', 'src/a.py', 'tests/test_a.py']],
    ['tests/web', ['conftest.py', 'src/a.py', 'tests/web/test_c.py']],
    ['src/a.py', ['conftest.py', 'src/a.py', 'tests/test_a.py']],
    [
      'conftest.py',
      ['conftest.py', 'src/a.py', 'tests/test_a.py', 'tests/test_b.py', 'tests/web/test_c.py'],
    ],
  ])('reads the whole project for the tests of %s, without the others', async (path, files) => {
    const root = aTree({
      'pyproject.toml': '',
      'conftest.py': '',
      'src/a.py': '',
      'tests/test_a.py': '',
      'tests/test_b.py': '',
      'tests/web/test_c.py': '',
    });
    const project = await gatherProject(path, { roots: [root], signal });
    expect(Object.keys(project.files).toSorted()).toEqual([...files, 'pyproject.toml'].toSorted());
    const isAll = files.length === 5;
    expect(project.notes).toEqual(isAll ? [] : [`ran the tests of "${path}" only`]);
  });

  it('reads no more than the folder of a program', async () => {
    const root = aTree({
      'package.json': '',
      'src/a.js': '',
      'src/b.js': '',
      'test/c.test.js': '',
    });
    const { files } = await gatherFolder('src/a.js', { roots: [root], signal });
    expect(Object.keys(files).toSorted()).toEqual(['a.js', 'b.js']);
  });

  it('reads a folder that is a project of its own alone, and keeps the tests of a Go package together', async () => {
    const root = aTree({
      'go.mod': '',
      'a/a_test.go': '',
      'a/b_test.go': '',
      'c/c_test.go': '',
      'web/package.json': '{}',
      'web/x.test.js': '',
    });
    const web = await gatherProject('web', { roots: [root], signal });
    expect(Object.keys(web.files).toSorted()).toEqual(['package.json', 'x.test.js']);
    const own = await gatherProject('a/a_test.go', { roots: [root], signal });
    expect(Object.keys(own.files).toSorted()).toEqual([
      'a/a_test.go',
      'a/b_test.go',
      'go.mod',
      'web/package.json',
    ]);
  });

  it('takes a file for the folder it is in where there is no project around it, and says so', async () => {
    const root = aTree({ 'a/cart.js': '1', 'a/cart.test.js': '2', 'b.js': '3' });
    const project = await gatherProject('a/cart.js', { roots: [root], signal });
    expect(Object.keys(project.files).toSorted()).toEqual(['cart.js', 'cart.test.js']);
    expect(project.notes).toEqual(['"a/cart.js" is a file: the tests in its folder were run']);
  });

  it('refuses a folder outside the roots', async () => {
    const root = aTree({});
    await expect(gatherProject('/usr', { roots: [root], signal })).rejects.toMatchObject({
      code: 'code.outside_roots',
    });
  });

  it.each([
    ['files', { ...defaultProjectLimits, maxFiles: 1 }],
    ['bytes', { ...defaultProjectLimits, maxTotalBytes: 3 }],
  ])('refuses a project with too many %s', async (unit, limits) => {
    const root = aTree({ 'a.py': '12', 'b.py': '34' });
    await expect(gatherProject('.', { roots: [root], signal, limits })).rejects.toMatchObject({
      code: 'exec.project_too_large',
      message: expect.stringContaining(unit),
    });
  });

  it('stops when it is cancelled', async () => {
    const root = aTree({ 'a.py': '' });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(gatherProject('.', { roots: [root], signal: gone })).rejects.toThrow('gone');
  });
});
