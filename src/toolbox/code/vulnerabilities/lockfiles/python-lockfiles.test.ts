import { describe, expect, it } from 'vitest';
import {
  packagesOf,
  parseAs,
} from '../../../../../testkit/toolbox/code/vulnerabilities/parse-lockfile.ts';

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

describe('lock files of Python', () => {
  it('requirements.txt gives what is pinned and says what is not', async () => {
    const text = [
      '# tools',
      'Flask==2.0.1  # web',
      'requests[security] == 2.25.0 ; python_version < "3.9"',
      'urllib3===1.26.4 \\',
      '    --hash=sha256:abc',
      'django>=3.0',
      'numpy==1.*',
      '-r other.txt',
      '--index-url https://example.com',
      'git+https://example.com/x.git@main#egg=x',
      'last==1.0 \\',
    ].join('\n');
    expect(await packagesOf('requirements-dev.txt', text)).toEqual([
      'Flask@2.0.1:2',
      'requests@2.25.0:3',
      'urllib3@1.26.4:4',
      'last@1.0:11',
    ]);
    const { skipped } = await parseAs('requirements.txt', text);
    expect(skipped.map(({ line }) => line)).toEqual([6, 7, 8, 10]);
  });

  it('pyproject.toml gives what is pinned with == in every group, with its line', async () => {
    const text = [
      '[project]',
      'dependencies = [',
      '  "requests==2.19.0",',
      '  "pyyaml>=5",',
      ']',
      '[project.optional-dependencies]',
      'dev = ["pytest==8.0.0"]',
      '[dependency-groups]',
      'docs = ["sphinx==7.1", { include-group = "dev" }]',
    ].join('\n');
    expect(await packagesOf('pyproject.toml', text)).toEqual([
      'requests@2.19.0:3',
      'pytest@8.0.0:7',
      'sphinx@7.1:9',
    ]);
    const { skipped } = await parseAs('pyproject.toml', text);
    expect(skipped).toMatchObject([{ name: 'pyyaml', line: 4 }]);
    await expect(parseAs('pyproject.toml', '[project')).rejects.toMatchObject({
      code: 'code.lockfile_malformed',
    });
  });

  it('requirements.txt made of blanks is read in time that grows with its length', async () => {
    const started = performance.now();
    const { skipped } = await parseAs('requirements.txt', `a==1${' '.repeat(200_000)}x`);
    expect(skipped).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('poetry.lock and pdm.lock give registry packages with their lines', async () => {
    const text =
      '[[package]]\nname = "a"\nversion = "1.0"\n\n[package.dependencies]\nb = ">=1"\n\n[[package]]\nname = "b"\nversion = "2.0"\n\n[[package]]\nname = "g"\nversion = "1"\n[package.source]\ntype = "git"\n';
    expect(await packagesOf('poetry.lock', text)).toEqual(['a@1.0:1', 'b@2.0:8']);
    const pdm =
      '[[package]]\nname = "a"\nversion = "1.0"\ndependencies = ["b>=1; python_version > \\"3\\""]\n\n[[package]]\nname = "b"\nversion = "2.0"\n';
    const { packages, rootKeys } = await parseAs('pdm.lock', pdm);
    expect(packages[0]?.requires).toEqual(['b 2.0']);
    expect(rootKeys).toBeUndefined();
  });

  it('uv.lock knows the project and what it asks for', async () => {
    const text = [
      'version = 1',
      '[[package]]',
      'name = "proj"',
      'version = "0.1.0"',
      'source = { editable = "." }',
      'dependencies = [{ name = "a" }]',
      '[[package]]',
      'name = "a"',
      'version = "1.0"',
      'source = { registry = "https://pypi.org/simple" }',
      '[[package]]',
      'name = "w"',
      'version = "1.0"',
      'source = { git = "https://example.com" }',
    ].join('\n');
    const { packages, rootKeys, skipped } = await parseAs('uv.lock', text);
    expect(packages.map(({ name }) => name)).toEqual(['a']);
    expect(rootKeys).toEqual(['a 1.0']);
    expect(skipped.map(({ name }) => name)).toEqual(['w']);
  });

  it('Pipfile.lock gives both groups', async () => {
    const text = json({
      _meta: {},
      default: { a: { version: '==1.0' } },
      develop: { b: { version: '==2.0' }, e: { path: '.' } },
    });
    expect(await packagesOf('Pipfile.lock', text)).toEqual(['a@1.0:4', 'b@2.0:9']);
    expect((await parseAs('Pipfile.lock', text)).skipped).toHaveLength(1);
  });

  it.each([
    ['poetry.lock', '[[package]]\nname = "a"\nversion = 1.0.0\n', 3],
    ['uv.lock', '[[package]]\nversion = "1"\n', 1],
    ['Cargo.lock', `a = ${'['.repeat(20_000)}`, 1],
  ])('%s malformed is reported with its line', async (name, text, line) => {
    await expect(parseAs(name, text)).rejects.toMatchObject({
      code: 'code.lockfile_malformed',
      details: { line },
    });
  });
});
