import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseLenientJson } from '../../../kernel/index.ts';
import { readManifest, realFolders, type ProjectFolder } from './project-folders.ts';
import type { InstalledPackage, DocsLimits } from '../library.ts';

const names = z.record(z.string(), z.unknown()).catch({});
const manifestSchema = z.object({
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
  optionalDependencies: names,
});

/** What npm allows as a name: in particular no `..` and no further `/`. */
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;

interface Search {
  readonly roots: readonly string[];
  readonly folders: readonly ProjectFolder[];
  readonly limits: DocsLimits;
}

/**
 * The packages in every `node_modules` of the project; of a `node_modules` above a root (hoisted
 * workspaces, pnpm's store) only those that a `package.json` of the project names.
 */
export async function findNpmPackages(search: Search): Promise<InstalledPackage[]> {
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

async function namedPackages({ folders, limits }: Search): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const folder of folders) {
    const text = await readManifest(folder, 'package.json', limits);
    const manifest = manifestSchema.safeParse(parseLenientJson(text ?? ''));
    if (!manifest.success) continue;
    for (const group of Object.values(manifest.data)) {
      for (const name of Object.keys(group)) if (packageName.test(name)) named.add(name);
    }
  }
  return named;
}

/** The real `node_modules` folders above the roots, nearest first: where Node looks next. */
async function modulesAbove({ roots, limits }: Search): Promise<string[]> {
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
