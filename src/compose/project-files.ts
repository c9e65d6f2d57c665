import { readdir, realpath, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { ProjectFiles } from '../agent/planner/index.ts';
import { liesInside, readRegularFile } from '../kernel/index.ts';
import type { Roots } from './roots.ts';

/** Folders that hold what others wrote or what can be built again. */
const skippedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'build',
  'target',
  'vendor',
  'venv',
  '__pycache__',
]);

/** A tree with more folders than this is listed in part. */
const maxFolders = 2_000;

/** The files inside the roots. Symbolic links are followed by `kind` only where they stay inside. */
export function projectFiles(roots: Pick<Roots, 'current'>): ProjectFiles {
  const folders = async (): Promise<readonly string[]> =>
    (await roots.current()).map((root) => resolve(root));
  return {
    kind: async (path) => kindOf(path, await folders()),
    list: async (limit) => {
      const found: string[] = [];
      for (const [index, root] of (await folders()).entries()) {
        // A relative path means the first root that has it, so those of later roots are absolute.
        const shown = (path: string): string => (index === 0 ? relative(root, path) : path);
        found.push(...(await filesBelow(root, limit - found.length)).map(shown));
      }
      return found;
    },
  };
}

/** Longer files are not compared with what was made of them. */
const maxTextBytes = 400_000;

/** The text of a file inside the roots; undefined where there is none, or it is too long. */
export async function readProjectFile(
  path: string,
  given: readonly string[],
): Promise<string | undefined> {
  const roots = given.map((root) => resolve(root));
  const found = await findInside(path, roots);
  if (!found) return undefined;
  const limits = { maxBytes: maxTextBytes, inside: roots };
  return readRegularFile(found.real, limits).then(String, () => undefined);
}

async function kindOf(
  path: string,
  roots: readonly string[],
): Promise<'file' | 'folder' | undefined> {
  const info = (await findInside(path, roots))?.info;
  if (info?.isFile()) return 'file';
  return info?.isDirectory() ? 'folder' : undefined;
}

async function findInside(
  path: string,
  roots: readonly string[],
): Promise<{ readonly real: string; readonly info: Stats } | undefined> {
  if (path === '' || path.includes('\0')) return undefined;
  const candidates = isAbsolute(path) ? [path] : roots.map((root) => resolve(root, path));
  for (const candidate of candidates) {
    if (!roots.some((root) => liesInside(root, candidate))) continue;
    const real = await realpath(candidate).catch(() => undefined);
    if (real === undefined) continue;
    const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
    if (!realRoots.some((root) => liesInside(root, real))) continue;
    const info = await stat(real).catch(() => undefined);
    if (info?.isFile() || info?.isDirectory()) return { real, info };
  }
  return undefined;
}

/** Breadth first, so that a limit cuts off what lies deep. */
async function filesBelow(root: string, limit: number): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [root];
  for (let at = 0; at < folders.length && at < maxFolders && files.length < limit; at += 1) {
    const folder = folders[at] ?? root;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const isSkipped = entry.name.startsWith('.') || skippedFolders.has(entry.name);
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !isSkipped) folders.push(path);
    }
  }
  return files.slice(0, Math.max(0, limit));
}
