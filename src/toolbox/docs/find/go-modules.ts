import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseGoMod } from '../../code/vulnerabilities/lockfiles/go-mod.ts';
import { readManifest, realFolders, type ProjectFolder } from './project-folders.ts';
import type { LockedPackage } from '../../code/vulnerabilities/locked-package.ts';
import type { InstalledPackage, DocsLimits } from '../library.ts';

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
export async function findGoModules(search: Search): Promise<InstalledPackage[]> {
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
