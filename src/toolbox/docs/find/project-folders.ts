import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../../kernel/index.ts';
import type { DocsLimits } from '../library.ts';

/** A folder of the project with the names in it. */
export interface ProjectFolder {
  /** A real path inside the allowed roots. */
  readonly folder: string;
  readonly names: ReadonlySet<string>;
}

const withoutProjects = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'target',
  'venv',
  'env',
]);

/** The roots and what lies a little below them: packages of a workspace, services of a repository. */
export async function findProjectFolders(
  roots: readonly string[],
  limits: DocsLimits,
): Promise<ProjectFolder[]> {
  const found: ProjectFolder[] = [];
  const seen = new Set<string>();
  const waiting = roots.map((folder) => ({ folder, depth: 0 }));
  for (let next = 0; next < waiting.length && found.length < limits.maxProjectFolders; next += 1) {
    const { folder, depth } = waiting[next] ?? { folder: '', depth: 0 };
    if (seen.has(folder)) continue;
    seen.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    found.push({ folder, names: new Set(entries.map(({ name }) => name)) });
    if (depth >= limits.maxProjectDepth) continue;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      // Links are not followed: what they lead to is found where it lies, if it may be read at all.
      if (!entry.isDirectory() || entry.name.startsWith('.') || withoutProjects.has(entry.name)) {
        continue;
      }
      waiting.push({ folder: join(folder, entry.name), depth: depth + 1 });
    }
  }
  return found;
}

/** The text of a manifest or lock file inside the roots; undefined when there is none to read. */
export async function readManifest(
  { folder, names }: ProjectFolder,
  name: string,
  { maxManifestBytes }: DocsLimits,
): Promise<string | undefined> {
  if (!names.has(name)) return undefined;
  const path = join(folder, name);
  try {
    if ((await realpath(path)) !== path) return undefined;
    const bytes = await readRegularFile(path, { maxBytes: maxManifestBytes, inside: [folder] });
    return bytes.toString();
  } catch {
    return undefined;
  }
}

/** The real folders of those that exist. */
export async function realFolders(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((path) => realpath(path).catch(() => undefined)));
  return real.filter((path) => path !== undefined);
}
