import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { liesInside, recordOf } from '../../../kernel/index.ts';
import { PackageFiles } from '../read/package-files.ts';
import { readManifest, realFolders, type ProjectFolder } from './project-folders.ts';
import { loadLockfileParser } from '../../code/vulnerabilities/read-lockfiles.ts';
import { normalizeName, type InstalledPackage, type DocsLimits } from '../library.ts';

interface Search {
  readonly roots: readonly string[];
  readonly folders: readonly ProjectFolder[];
  /** Environments outside the project: folders with `lib/python3.12/site-packages` in them. */
  readonly pythonEnvironments: readonly string[];
  readonly limits: DocsLimits;
}

const environmentNames = ['.venv', 'venv', 'env'];

/**
 * The distributions in the project's own virtual environments; of the environments elsewhere
 * on the machine only those that the project's requirements, lock files or `pyproject.toml` name.
 */
export async function findPythonPackages(search: Search): Promise<InstalledPackage[]> {
  const named = await namedPythonPackages(search.folders, search.limits);
  const found: InstalledPackage[] = [];
  for (const site of await environmentsOf(search)) {
    for (const distribution of await distributionsIn(site)) {
      const isNamed = named.has(normalizeName(distribution.name));
      found.push({ ...distribution, isNamed, allowed: [site] });
    }
  }
  const here = new Set(found.map(({ name }) => normalizeName(name)));
  for (const site of named.size === 0 ? [] : await sitesOutside(search.pythonEnvironments)) {
    for (const distribution of await distributionsIn(site)) {
      const name = normalizeName(distribution.name);
      if (here.has(name) || !named.has(name)) continue;
      here.add(name);
      found.push({ ...distribution, isNamed: true, allowed: [site] });
    }
  }
  return found;
}

/** The real `site-packages` of the virtual environments in the project, by their usual places. */
async function environmentsOf({ folders, roots }: Search): Promise<string[]> {
  const found = new Set<string>();
  for (const { folder, names } of folders) {
    for (const name of environmentNames) {
      if (!names.has(name)) continue;
      for (const site of await sitesIn(join(folder, name))) {
        const real = await realpath(site).catch(() => undefined);
        if (real !== undefined && roots.some((root) => liesInside(root, real))) found.add(real);
      }
    }
  }
  return [...found];
}

async function sitesOutside(environments: readonly string[]): Promise<string[]> {
  const sites = await Promise.all(environments.map(sitesIn));
  return [...new Set(await realFolders(sites.flat()))];
}

/** `lib/python3.12/site-packages`, Debian's `dist-packages`, and on Windows `Lib/site-packages`. */
async function sitesIn(environment: string): Promise<string[]> {
  const versions = await readdir(join(environment, 'lib')).catch(() => []);
  const unix = versions
    .filter((name) => /^(?:python|pypy)\d[\w.]*$/.test(name))
    .flatMap((name) =>
      ['site-packages', 'dist-packages'].map((last) => join(environment, 'lib', name, last)),
    );
  return [...unix, join(environment, 'Lib', 'site-packages')];
}

type Distribution = Omit<InstalledPackage, 'isNamed' | 'allowed'>;

async function distributionsIn(site: string): Promise<Distribution[]> {
  const entries = await readdir(site).catch(() => []);
  const known = new Set(entries);
  const found: Distribution[] = [];
  for (const entry of entries.sort((a, b) => (a < b ? -1 : 1))) {
    const parsed = /^([A-Za-z0-9][\w.]*)-(\d[\w.!+]*)(?:-py[\d.]+)?\.(?:dist|egg)-info$/.exec(
      entry,
    );
    const [, name, version] = parsed ?? [];
    if (name === undefined) continue;
    const modules = await modulesOf(site, entry, name);
    const parts = [
      entry,
      ...modules.flatMap((module) => [module, `${module}.py`, `${module}.pyi`]),
    ];
    found.push({
      ecosystem: 'pypi',
      name,
      version,
      folder: site,
      parts: [...new Set(parts)].filter((part) => known.has(part)),
    });
  }
  return found;
}

/** What can be imported: `top_level.txt` says so where it exists; otherwise it is named like the package. */
async function modulesOf(site: string, info: string, name: string): Promise<string[]> {
  const usual = [name, name.toLowerCase(), name.toLowerCase().replaceAll(/[-.]/g, '_')];
  const file = await new PackageFiles(site).read(`${info}/top_level.txt`);
  const listed = (file?.text ?? '').split('\n').map((line) => line.trim());
  return [...listed, ...usual].filter((module) => /^\w+$/.test(module));
}

const lockfile = /^(?:requirements[\w.-]*\.txt|poetry\.lock|pdm\.lock|uv\.lock|Pipfile\.lock)$/;

/** Every Python package the project's own files name, by normalized name. */
async function namedPythonPackages(
  folders: readonly ProjectFolder[],
  limits: DocsLimits,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const folder of folders) {
    for (const name of folder.names) {
      const isProject = name === 'pyproject.toml';
      if (!isProject && !lockfile.test(name)) continue;
      const text = await readManifest(folder, name, limits);
      if (text === undefined) continue;
      const found = isProject ? await namedInProject(text) : await namedInLockfile(name, text);
      for (const one of found) named.add(normalizeName(one));
    }
  }
  return named;
}

async function namedInLockfile(name: string, text: string): Promise<string[]> {
  const parse = await loadLockfileParser(name);
  try {
    const { packages = [], skipped = [] } = parse?.(text, name) ?? {};
    return [...packages, ...skipped].map((one) => one.name);
  } catch {
    // A file that cannot be understood names nothing, so nothing outside the project is read for it.
    return [];
  }
}

/** `[project]`, `[dependency-groups]` and Poetry's tables of `pyproject.toml`. */
async function namedInProject(text: string): Promise<string[]> {
  const { parse } = await import('smol-toml');
  let document: unknown;
  try {
    document = parse(text);
  } catch {
    return [];
  }
  const project = recordOf(recordOf(document)['project']);
  const poetry = recordOf(recordOf(recordOf(document)['tool'])['poetry']);
  const lists = [
    project['dependencies'],
    ...Object.values(recordOf(project['optional-dependencies'])),
    ...Object.values(recordOf(recordOf(document)['dependency-groups'])),
  ];
  const groups = Object.values(recordOf(poetry['group'])).map(recordOf);
  const tables = [poetry['dependencies'], poetry['dev-dependencies']].concat(
    groups.map((group) => group['dependencies']),
  );
  const requirements = lists.flat().filter((one) => typeof one === 'string');
  const names = requirements.map((one) => /^[A-Za-z0-9][\w.-]*/.exec(one)?.[0] ?? '');
  const keys = tables.flatMap((table) => Object.keys(recordOf(table)));
  return [...names, ...keys].filter((name) => name !== '' && name !== 'python');
}
