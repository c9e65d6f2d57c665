import { describe, expect, it } from 'vitest';
import {
  packagesOf,
  parseAs,
} from '../../../../../testkit/toolbox/code/vulnerabilities/parse-lockfile.ts';

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

describe('package-lock.json', () => {
  const modern = json({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { a: '^1.0.0' }, devDependencies: { '@s/b': '^2.0.0' } },
      'node_modules/a': { version: '1.0.0', dependencies: { c: '^1.0.0' } },
      'node_modules/a/node_modules/c': { version: '1.5.0' },
      'node_modules/@s/b': { version: '2.0.0', peerDependencies: { c: '*' } },
      'node_modules/c': { version: '3.0.0' },
      'node_modules/alias': { name: 'real', version: '4.0.0' },
      'node_modules/w': { resolved: 'packages/w', link: true },
      'packages/w': { version: '9.9.9', dependencies: { c: '3' } },
    },
  });

  it('of versions 2 and 3 gives each installed copy, aliases by their real name, no workspaces', async () => {
    expect(await packagesOf('npm-shrinkwrap.json', modern)).toEqual([
      'a@1.0.0:12',
      'c@1.5.0:18',
      '@s/b@2.0.0:21',
      'c@3.0.0:27',
      'real@4.0.0:30',
    ]);
  });

  it('knows which copy of a package each one uses, and what the projects ask for', async () => {
    const { packages, rootKeys } = await parseAs('package-lock.json', modern);
    const requires = Object.fromEntries(packages.map(({ key, requires }) => [key, requires]));
    expect(requires['node_modules/a']).toEqual(['node_modules/a/node_modules/c']);
    expect(requires['node_modules/@s/b']).toEqual(['node_modules/c']);
    expect(rootKeys).toEqual(['node_modules/a', 'node_modules/@s/b', 'node_modules/c']);
  });

  it('of version 1 gives nested packages too and skips addresses', async () => {
    const old = json({
      lockfileVersion: 1,
      dependencies: {
        a: { version: '1.0.0', dependencies: { b: { version: '2.0.0' } } },
        b: { version: '3.0.0' },
        g: { version: 'git+ssh://git@example.com/g.git#abc' },
      },
    });
    expect(await packagesOf('package-lock.json', old)).toEqual([
      'a@1.0.0:4',
      'b@3.0.0:12',
      'b@2.0.0:7',
    ]);
    const { skipped } = await parseAs('package-lock.json', old);
    expect(skipped.map(({ name }) => name)).toEqual(['g']);
  });

  it('may be empty, but must be a lock file', async () => {
    expect(await packagesOf('package-lock.json', '{"lockfileVersion": 3}')).toEqual([]);
    await expect(parseAs('package-lock.json', '{}')).rejects.toThrow('package-lock.json:1:');
  });

  it.each([
    ['{\n "packages": {\n  oops', 3],
    ['{"a": [', 1],
    ['{"packages": 3}', 1],
    ['{"dependencies": {"a": 1}}', 1],
  ])('malformed as %j is reported with its line', async (text, line) => {
    await expect(parseAs('package-lock.json', text)).rejects.toMatchObject({
      code: 'code.lockfile_malformed',
      details: { path: 'package-lock.json', line },
    });
  });
});

describe('yarn.lock', () => {
  it('of Yarn 1 gives scoped names, several ranges per entry and aliases', async () => {
    const text = [
      '# yarn lockfile v1',
      '',
      '"@s/a@^1.0.0", "@s/a@^1.1.0":',
      '  version "1.2.0"',
      '  resolved "https://example.com/a.tgz#1"',
      '  dependencies:',
      '    b "^2.0.0"',
      '',
      'b@^2.0.0:',
      '  version "2.0.1"',
      '',
      '"x@npm:real@^1":',
      '  version "1.0.0"',
    ].join('\n');
    expect(await packagesOf('yarn.lock', text)).toEqual([
      '@s/a@1.2.0:3',
      'b@2.0.1:9',
      'real@1.0.0:12',
    ]);
    const { packages, rootKeys } = await parseAs('yarn.lock', text);
    expect(packages[0]?.requires).toEqual([packages[1]?.key]);
    expect(rootKeys).toBeUndefined();
  });

  it('of later Yarns knows the workspaces, patches and what is not from the registry', async () => {
    const text = [
      '__metadata:',
      '  version: 8',
      '',
      '"root@workspace:.":',
      '  version: 0.0.0-use.local',
      '  resolution: "root@workspace:."',
      '  dependencies:',
      '    a: "npm:^1.0.0"',
      '  languageName: unknown',
      '',
      '"a@npm:^1.0.0":',
      '  version: 1.0.2',
      '  resolution: "a@npm:1.0.2"',
      '  dependencies:',
      '    "@s/b": ^2.0.0',
      '',
      '"@s/b@npm:^2.0.0":',
      '  version: 2.5.0',
      '  resolution: "@s/b@npm:2.5.0"',
      '',
      '"g@https://example.com/g.git":',
      '  version: 1.0.0',
      '  resolution: "g@https://example.com/g.git#commit=1"',
    ].join('\r\n');
    const { packages, rootKeys, skipped } = await parseAs('yarn.lock', text);
    expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'a@1.0.2',
      '@s/b@2.5.0',
    ]);
    expect(rootKeys).toEqual([packages[0]?.key]);
    expect(packages[0]?.requires).toEqual([packages[1]?.key]);
    expect(skipped.map(({ name }) => name)).toEqual(['g']);
  });

  it.each([
    ['a@1:\n  resolved "x"', 1],
    ['\n\n{"json": true}', 3],
    ['  version "1"', 1],
  ])('malformed as %j is reported with its line', async (text, line) => {
    await expect(parseAs('yarn.lock', text)).rejects.toMatchObject({ details: { line } });
  });
});

describe('pnpm-lock.yaml', () => {
  it('of version 9 reads snapshots, peers and importers', async () => {
    const text = [
      "lockfileVersion: '9.0'",
      'importers:',
      '  .:',
      '    dependencies:',
      '      a: {specifier: ^1.0.0, version: 1.0.0(peer@3.0.0)}',
      'packages:',
      '  a@1.0.0:',
      '    resolution: {integrity: x}',
      "  '@s/b@2.0.0':",
      '    resolution: {integrity: x}',
      'snapshots:',
      '  a@1.0.0(peer@3.0.0):',
      '    dependencies:',
      "      '@s/b': 2.0.0",
      "  '@s/b@2.0.0': {}",
      '  l@file:../l: {}',
    ].join('\n');
    const { packages, rootKeys, skipped } = await parseAs('pnpm-lock.yaml', text);
    expect(packages.map(({ name, version, line }) => [name, version, line])).toEqual([
      ['a', '1.0.0', 7],
      ['@s/b', '2.0.0', 9],
    ]);
    expect(rootKeys).toEqual(['a@1.0.0']);
    expect(packages[0]?.requires).toEqual(['@s/b@2.0.0']);
    expect(skipped.map(({ name }) => name)).toEqual(['l']);
  });

  it.each([
    [
      "lockfileVersion: '6.0'\ndependencies:\n  a: {specifier: ^1, version: 1.0.0}\npackages:\n  /a@1.0.0(p@1.0.0):\n    dependencies: {'@s/b': 2.0.0}\n  /@s/b@2.0.0: {}\n",
    ],
    [
      "lockfileVersion: 5.4\ndependencies:\n  a: 1.0.0_p@1.0.0\npackages:\n  /a/1.0.0_p@1.0.0:\n    dependencies: {'@s/b': 2.0.0}\n  /@s/b/2.0.0: {}\n",
    ],
  ])('of older versions gives the same: %j', async (text) => {
    const { packages, rootKeys } = await parseAs('pnpm-lock.yaml', text);
    expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'a@1.0.0',
      '@s/b@2.0.0',
    ]);
    expect(rootKeys).toEqual([packages[0]?.key]);
    expect(packages[0]?.requires).toEqual([packages[1]?.key]);
  });

  it.each([
    ['lockfileVersion: 9\npackages: [unclosed', 2],
    ['packages: {}', 1],
    ['', 1],
    ['['.repeat(20_000), 1],
    ['lockfileVersion: &a [*a]\n', 1],
  ])('malformed as %.40j is reported, never a crash', async (text) => {
    await expect(parseAs('pnpm-lock.yaml', text)).rejects.toMatchObject({
      code: 'code.lockfile_malformed',
    });
  });
});
