import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { liesInside, parseLenientJson } from '../../../kernel/index.ts';
import type { LockedPackage } from '../../code/vulnerabilities/locked-package.ts';
import { parseGoMod } from '../../code/vulnerabilities/lockfiles/go-mod.ts';
import {
  docsLimits,
  type DocsLimits,
  type Ecosystem,
  type InstalledPackage,
  type Library,
  libraryId,
} from '../library.ts';
import { PackageFiles } from '../read/package-files.ts';
import {
  findProjectFolders,
  type ProjectFolder,
  readManifest,
  realFolders,
} from './project-folders.ts';
import { findPythonPackages } from './python-packages.ts';

export interface InstalledLibrariesOptions {
  /** The folders of the project that may be read. */
  readonly roots: readonly string[];
  /** Outside the roots, and read only for what the project's own files name. */
  readonly outside?: {
    readonly pythonEnvironments?: readonly string[];
    readonly goModules?: readonly string[];
  };
  readonly limits?: DocsLimits;
}

type OpenedLibrary =
  | { readonly kind: 'opened'; readonly library: Library }
  | { readonly kind: 'refused'; readonly reason: string };

const manifestSchema = z.object({
  version: z.string().max(200).catch('unknown'),
  description: z.string().max(2_000).catch(''),
});

/** The packages installed in a project. Each look is at the disk as it is then. */
export class InstalledLibraries {
  readonly #options: InstalledLibrariesOptions;
  readonly #limits: DocsLimits;

  constructor(options: InstalledLibrariesOptions) {
    this.#options = options;
    this.#limits = options.limits ?? docsLimits;
  }

  /** All there are, each folder once. Nothing of the packages themselves is read. */
  async list(ecosystem?: Ecosystem): Promise<readonly InstalledPackage[]> {
    const limits = this.#limits;
    const { outside = {} } = this.#options;
    const { pythonEnvironments = [], goModules = [] } = outside;
    const roots = await realFolders(this.#options.roots);
    const folders = await findProjectFolders(roots, limits);
    const search = { roots, folders, limits };
    const isWanted = (one: Ecosystem): boolean => ecosystem === undefined || ecosystem === one;
    const found = [
      ...(isWanted('npm') ? await findNpmPackages(search) : []),
      ...(isWanted('pypi') ? await findPythonPackages({ ...search, pythonEnvironments }) : []),
      ...(isWanted('go') ? await findGoModules({ ...search, goModules }) : []),
    ];
    return found.slice(0, limits.maxLibraries);
  }

  /** Follows the links to a package and looks whether it may be read. */
  async open(installed: InstalledPackage): Promise<OpenedLibrary> {
    const { ecosystem, name, folder, allowed, parts } = installed;
    const realFolder = await realpath(folder).catch(() => undefined);
    if (realFolder === undefined) {
      return { kind: 'refused', reason: `${folder} is a link that leads nowhere` };
    }
    if (!allowed.some((place) => liesInside(place, realFolder))) {
      const reason = `${folder} is a link to ${realFolder}, outside the allowed roots; add that folder to the setting "roots" to read it`;
      return { kind: 'refused', reason };
    }
    const files = new PackageFiles(realFolder, parts, this.#limits);
    const manifest = ecosystem === 'npm' ? await files.read('package.json') : undefined;
    const described = manifestSchema.safeParse(parseLenientJson(manifest?.text ?? '')).data;
    const version = installed.version ?? described?.version ?? 'unknown';
    const summary = described?.description ?? (await summarize(installed, files));
    const id = libraryId(ecosystem, name, version);
    const source = await this.#shown(folder);
    return {
      kind: 'opened',
      library: { ...installed, id, version, summary, realFolder, source },
    };
  }

  async #shown(folder: string): Promise<string> {
    const roots = await realFolders(this.#options.roots);
    const root = roots.find((one) => liesInside(one, folder));
    return (root === undefined ? folder : relative(root, join(folder))).replaceAll('\\', '/');
  }
}

const maxSummaryChars = 300;

/** One sentence about a package, in its own words; empty when it has none. */
async function summarize(
  { ecosystem, parts = [] }: InstalledPackage,
  files: PackageFiles,
): Promise<string> {
  if (ecosystem === 'pypi') return pythonSummary(parts, files);
  const readme = await files.read('README.md');
  const paragraph = (readme?.text ?? '')
    .split('\n')
    .find((line) => /^[A-Za-z`*]/.test(line) && line.length > 20);
  return (paragraph ?? '').slice(0, maxSummaryChars);
}

async function pythonSummary(parts: readonly string[], files: PackageFiles): Promise<string> {
  for (const info of parts.filter((part) => part.endsWith('-info'))) {
    for (const name of ['METADATA', 'PKG-INFO']) {
      const file = await files.read(`${info}/${name}`);
      const line = file?.text.split('\n', 60).find((one) => one.startsWith('Summary:'));
      if (line !== undefined) return line.slice('Summary:'.length).trim().slice(0, maxSummaryChars);
    }
  }
  return '';
}

interface Search {
  readonly roots: readonly string[];
  readonly folders: readonly ProjectFolder[];
  /** Go's module caches, outside the project. */
  readonly goModules: readonly string[];
  readonly limits: DocsLimits;
}

/**
 * The modules that a `go.mod` of the project requires, from its `vendor` folder or from Go's module
 * cache. Nothing else of the cache is looked at.
 */
async function findGoModules(search: Search): Promise<InstalledPackage[]> {
  const caches = await realFolders(search.goModules);
  const found = new Map<string, InstalledPackage>();
  for (const folder of search.folders) {
    for (const { name, version } of await requiredModules(folder, search.limits)) {
      const vendored = { folder: join(folder.folder, 'vendor', name), allowed: search.roots };
      const cached = caches.map((cache) => ({
        folder: join(cache, `${escapeModule(name)}@v${escapeModule(version)}`),
        allowed: [cache],
      }));
      for (const place of [vendored, ...cached]) {
        if (found.has(`${name}@${version}`)) break;
        if (!(await stat(place.folder).catch(() => undefined))?.isDirectory()) continue;
        found.set(`${name}@${version}`, {
          ecosystem: 'go',
          name,
          version: `v${version}`,
          isNamed: true,
          ...place,
        });
      }
    }
  }
  return [...found.values()];
}

async function requiredModules(
  folder: ProjectFolder,
  limits: DocsLimits,
): Promise<readonly LockedPackage[]> {
  const text = await readManifest(folder, 'go.mod', limits);
  if (text === undefined) return [];
  try {
    const { packages } = parseGoMod(text, 'go.mod');
    return packages.filter(({ name, version }) => isModulePath(name) && isModulePath(version));
  } catch {
    return [];
  }
}

/** No empty part, no `.` and no `..`: a module path never leaves the folder it is looked for in. */
function isModulePath(text: string): boolean {
  return (
    /^[\w.~+-]+(?:\/[\w.~+-]+)*$/.test(text) && !text.split('/').some((part) => /^\.+$/.test(part))
  );
}

/** Go writes `!x` for `X` in file names, for systems that do not tell them apart. */
function escapeModule(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

const names = z.record(z.string(), z.unknown()).catch({});
const dependenciesSchema = z.object({
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
  optionalDependencies: names,
});

/** What npm allows as a name: in particular no `..` and no further `/`. */
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;

interface NpmSearch {
  readonly roots: readonly string[];
  readonly folders: readonly ProjectFolder[];
  readonly limits: DocsLimits;
}

/**
 * The packages in every `node_modules` of the project; of a `node_modules` above a root (hoisted
 * workspaces, pnpm's store) only those that a `package.json` of the project names.
 */
async function findNpmPackages(search: NpmSearch): Promise<InstalledPackage[]> {
  const named = await namedPackages(search);
  const above = await modulesAbove(search);
  const found: InstalledPackage[] = [];
  for (const { folder, names: entries } of search.folders) {
    if (!entries.has('node_modules')) continue;
    const modules = join(folder, 'node_modules');
    for (const name of await listPackages(modules)) {
      const isNamed = named.has(name);
      const allowed = isNamed ? [...search.roots, ...above] : search.roots;
      found.push(anNpmPackage({ modules, name, isNamed, allowed }));
    }
  }
  const here = new Set(found.map(({ name }) => name));
  for (const modules of above) {
    for (const name of named) {
      if (here.has(name)) continue;
      const isThere = await stat(join(modules, name)).catch(() => undefined);
      if (!isThere) continue;
      here.add(name);
      found.push(anNpmPackage({ modules, name, isNamed: true, allowed: [modules] }));
    }
  }
  return found;
}

function anNpmPackage(parts: {
  readonly modules: string;
  readonly name: string;
  readonly isNamed: boolean;
  readonly allowed: readonly string[];
}): InstalledPackage {
  const { modules, name, isNamed, allowed } = parts;
  const folder = join(modules, name);
  return { ecosystem: 'npm', name, version: undefined, folder, isNamed, allowed };
}

async function namedPackages({ folders, limits }: NpmSearch): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const folder of folders) {
    const text = await readManifest(folder, 'package.json', limits);
    const manifest = dependenciesSchema.safeParse(parseLenientJson(text ?? ''));
    if (!manifest.success) continue;
    for (const group of Object.values(manifest.data)) {
      for (const name of Object.keys(group)) if (packageName.test(name)) named.add(name);
    }
  }
  return named;
}

/** The real `node_modules` folders above the roots, nearest first: where Node looks next. */
async function modulesAbove({ roots, limits }: NpmSearch): Promise<string[]> {
  const above = new Set<string>();
  for (const root of roots) {
    let folder = dirname(root);
    for (let level = 0; level < limits.maxFoldersAbove; level += 1) {
      above.add(join(folder, 'node_modules'));
      if (dirname(folder) === folder) break;
      folder = dirname(folder);
    }
  }
  return realFolders([...above]);
}

async function listPackages(modules: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesIn(modules)) {
    if (!name.startsWith('@')) found.push(name);
    else for (const inner of await namesIn(join(modules, name))) found.push(`${name}/${inner}`);
  }
  return found.filter((name) => packageName.test(name)).sort();
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
