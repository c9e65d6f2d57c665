import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  aTemporaryProject,
  type TemporaryProject,
} from '../../../../testkit/toolbox/docs/temporary-project.ts';
import { InstalledLibraries } from './installed-libraries.ts';

let project: TemporaryProject;
afterEach(() => project.remove());

const manifest = (parts: object): string => JSON.stringify(parts);

/** Ids of what may be read, and the reasons why the rest may not. */
async function look(installed: InstalledLibraries): Promise<{ ids: string[]; refusals: string[] }> {
  const ids: string[] = [];
  const refusals: string[] = [];
  for (const one of await installed.list()) {
    const opened = await installed.open(one);
    if (opened.kind === 'opened') ids.push(opened.library.id);
    else refusals.push(opened.reason);
  }
  return { ids, refusals };
}

describe('packages of npm', () => {
  it('finds those of the project and of the packages of its workspace', async () => {
    project = aTemporaryProject({
      'node_modules/zod/package.json': manifest({ version: '4.0.0', description: 'Schemas' }),
      'node_modules/@scope/name/package.json': manifest({ version: '1.2.3' }),
      'node_modules/.bin/tool': '',
      'packages/web/node_modules/react/package.json': manifest({ version: '19.1.0' }),
      'node_modules/broken/package.json': '{',
    });
    const installed = new InstalledLibraries({ roots: [project.folder] });
    expect((await look(installed)).ids).toEqual([
      'npm:@scope/name@1.2.3',
      'npm:broken@unknown',
      'npm:zod@4.0.0',
      'npm:react@19.1.0',
    ]);
    const react = (await installed.list()).find(({ name }) => name === 'react');
    expect(react && (await installed.open(react))).toMatchObject({
      library: { source: 'packages/web/node_modules/react', ecosystem: 'npm' },
    });
  });

  it('finds what is hoisted above the root only when the project names it', async () => {
    project = aTemporaryProject({
      'node_modules/named/package.json': manifest({ version: '1.0.0' }),
      'node_modules/other/package.json': manifest({ version: '1.0.0' }),
      'packages/a/package.json': manifest({
        dependencies: { named: '^1', '../other': '1', missing: '1' },
      }),
    });
    const installed = new InstalledLibraries({ roots: [join(project.folder, 'packages/a')] });
    expect(await look(installed)).toEqual({ ids: ['npm:named@1.0.0'], refusals: [] });
  });

  it('follows the links of pnpm, into the project and into the store above it', async () => {
    const store = 'node_modules/.pnpm';
    project = aTemporaryProject({
      [`${store}/near@1.0.0/node_modules/near/package.json`]: manifest({ version: '1.0.0' }),
      'node_modules/near': { link: '.pnpm/near@1.0.0/node_modules/near' },
      [`${store}/far@2.0.0/node_modules/far/package.json`]: manifest({ version: '2.0.0' }),
      'packages/a/package.json': manifest({ devDependencies: { far: '^2' } }),
      'packages/a/node_modules/far': { link: `../../../${store}/far@2.0.0/node_modules/far` },
      'packages/a/node_modules/unnamed': { link: `../../../${store}/near@1.0.0/node_modules/near` },
    });
    const whole = new InstalledLibraries({ roots: [project.folder] });
    expect((await look(whole)).ids.sort()).toEqual([
      'npm:far@2.0.0',
      'npm:near@1.0.0',
      'npm:unnamed@1.0.0',
    ]);
    const part = new InstalledLibraries({ roots: [join(project.folder, 'packages/a')] });
    const found = await look(part);
    expect(found.ids).toEqual(['npm:far@2.0.0']);
    expect(found.refusals).toEqual([expect.stringContaining('outside the allowed roots')]);
  });

  it('refuses a link that leads out of the roots, even one the project names', async () => {
    project = aTemporaryProject({
      'elsewhere/package.json': manifest({ version: '6.6.6' }),
      'project/package.json': manifest({ dependencies: { evil: '*', gone: '*' } }),
      'project/node_modules/evil': { link: '../../elsewhere' },
      'project/node_modules/gone': { link: '../../nowhere' },
    });
    const installed = new InstalledLibraries({ roots: [join(project.folder, 'project')] });
    const { ids, refusals } = await look(installed);
    expect(ids).toEqual([]);
    expect(refusals).toEqual([
      expect.stringContaining('add that folder to the setting "roots"'),
      expect.stringContaining('leads nowhere'),
    ]);
  });
});

const info = (name: string): string =>
  `Metadata-Version: 2.1\nName: ${name}\nSummary: About ${name}\n\n# ${name}\n`;

describe('packages of Python', () => {
  it('finds the distributions of the virtual environments in the project', async () => {
    const site = '.venv/lib/python3.12/site-packages';
    project = aTemporaryProject({
      [`${site}/requests-2.31.0.dist-info/METADATA`]: info('requests'),
      [`${site}/requests-2.31.0.dist-info/top_level.txt`]: 'requests\n../../evil\n',
      [`${site}/requests/__init__.py`]: '',
      [`${site}/six-1.16.0.dist-info/METADATA`]: info('six'),
      [`${site}/six.py`]: '',
      'services/api/venv/lib/python3.11/site-packages/old-1.0-py3.11.egg-info/PKG-INFO':
        info('old'),
    });
    const installed = new InstalledLibraries({ roots: [project.folder] });
    const list = await installed.list('pypi');
    expect(list.map(({ name, version, parts }) => [name, version, parts])).toEqual([
      ['requests', '2.31.0', ['requests-2.31.0.dist-info', 'requests']],
      ['six', '1.16.0', ['six-1.16.0.dist-info', 'six.py']],
      ['old', '1.0', ['old-1.0-py3.11.egg-info']],
    ]);
    const [first] = list;
    expect(first && (await installed.open(first))).toMatchObject({
      library: { id: 'pypi:requests@2.31.0', summary: 'About requests' },
    });
  });

  it('reads an environment outside the project only for what the project names', async () => {
    const site = 'system/lib/python3/dist-packages';
    const names = ['Named_One', 'locked', 'project_dep', 'poetry_dep', 'group_dep', 'stranger'];
    project = aTemporaryProject({
      ...Object.fromEntries(
        names.map((name) => [`${site}/${name}-1.0.dist-info/METADATA`, info(name)]),
      ),
      'project/requirements-dev.txt': 'named.one>=1\n-e ../other\n',
      'project/Pipfile.lock': manifest({
        _meta: {},
        default: { locked: { version: '==1.0' } },
        develop: {},
      }),
      'project/pyproject.toml':
        '[project]\ndependencies = ["project-dep[x]>=1; python_version > \'3\'"]\n[tool.poetry.dependencies]\npython = "^3"\npoetry-dep = "*"\n[dependency-groups]\ndev = ["group-dep", {include-group = "x"}]\n',
      'project/poetry.lock': 'not [ toml',
    });
    const outside = { pythonEnvironments: [join(project.folder, 'system')] };
    const roots = [join(project.folder, 'project')];
    const { ids } = await look(new InstalledLibraries({ roots, outside }));
    expect(ids.sort()).toEqual([
      'pypi:Named_One@1.0',
      'pypi:group_dep@1.0',
      'pypi:locked@1.0',
      'pypi:poetry_dep@1.0',
      'pypi:project_dep@1.0',
    ]);
    expect((await look(new InstalledLibraries({ roots }))).ids).toEqual([]);
  });

  it('does not follow an environment that is a link out of the roots', async () => {
    project = aTemporaryProject({
      'elsewhere/lib/python3.12/site-packages/x-1.0.dist-info/METADATA': info('x'),
      'project/.venv': { link: '../elsewhere' },
    });
    const installed = new InstalledLibraries({ roots: [join(project.folder, 'project')] });
    expect(await installed.list()).toEqual([]);
  });
});

describe('modules of Go', () => {
  it('finds what go.mod requires in vendor or in the module cache, and nothing else of the cache', async () => {
    project = aTemporaryProject({
      'cache/github.com/!burnt!sushi/toml@v1.3.2/README.md':
        '# TOML\n\nA parser of TOML for Go programs.\n',
      'cache/github.com/gorilla/mux@v1.8.0/README.md': '',
      'cache/github.com/other/thing@v1.0.0/README.md': '',
      'cache/github.com/linked/out@v1.0.0': { link: '../../../project' },
      'project/vendor/github.com/gorilla/mux/mux.go': 'package mux',
      'project/go.mod':
        'module example.com/app\n\nrequire (\n\tgithub.com/BurntSushi/toml v1.3.2\n\tgithub.com/gorilla/mux v1.8.0\n\tgithub.com/linked/out v1.0.0\n\t../../etc v1.0.0\n\tgithub.com/not/there v1.0.0\n)\n',
    });
    const roots = [join(project.folder, 'project')];
    const outside = { goModules: [join(project.folder, 'cache'), join(project.folder, 'missing')] };
    const installed = new InstalledLibraries({ roots, outside });
    const { ids, refusals } = await look(installed);
    expect(ids).toEqual([
      'go:github.com/BurntSushi/toml@v1.3.2',
      'go:github.com/gorilla/mux@v1.8.0',
    ]);
    expect(refusals).toEqual([expect.stringContaining('outside the allowed roots')]);
    const mux = (await installed.list()).find(({ name }) => name === 'github.com/gorilla/mux');
    expect(mux && (await installed.open(mux))).toMatchObject({
      library: { source: 'vendor/github.com/gorilla/mux' },
    });
  });

  it('takes a go.mod that cannot be understood for one that requires nothing', async () => {
    project = aTemporaryProject({ 'go.mod': 'require github.com/a/b nonsense' });
    expect(await new InstalledLibraries({ roots: [project.folder] }).list()).toEqual([]);
  });
});
