import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { liesInside, parseLenientJson } from '../../../kernel/index.ts';
import { PackageFiles } from '../read/package-files.ts';
import { findNpmPackages } from './npm-packages.ts';
import {
  findProjectFolders,
  realFolders,
  readManifest,
  type ProjectFolder,
} from './project-folders.ts';
import { findPythonPackages } from './python-packages.ts';
import {
  libraryId,
  type Ecosystem,
  type InstalledPackage,
  type Library,
  docsLimits,
  type DocsLimits,
} from '../library.ts';
import { parseGoMod } from '../../code/vulnerabilities/lockfiles/go-mod.ts';
import type { LockedPackage } from '../../code/vulnerabilities/locked-package.ts';

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
