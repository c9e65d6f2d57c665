import { access } from 'node:fs/promises';
import { posix, win32, type PlatformPath } from 'node:path';
import { userFolder } from '../kernel/index.ts';

/** What settings depend on beside their sources' contents. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home directory. */
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
}

interface ProjectPlace {
  readonly file: string;
  readonly top: string;
}

const projectFileName = 'tutti.yaml';

/** Folders deeper than this are not searched to the top. */
const maxLevels = 64;

/**
 * The nearest `tutti.yaml` from `cwd` upwards. The search ends at the top of a git work tree, at the
 * top of the file system, and below the home directory, whose own file would rule every project.
 */
export async function findProjectFile(around: Surroundings): Promise<string | undefined> {
  for (const { file, top } of projectPlaces(around)) {
    if (await exists(file)) return file;
    if (await exists(top)) break;
  }
  return undefined;
}

/** Where a project's file may be, nearest first, each with what ends the search there. */
export function projectPlaces(around: Surroundings): readonly ProjectPlace[] {
  const paths = pathsOf(around);
  const places: ProjectPlace[] = [];
  let folder = around.cwd;
  for (let level = 0; level < maxLevels; level += 1) {
    places.push({ file: paths.join(folder, projectFileName), top: paths.join(folder, '.git') });
    const parent = paths.dirname(folder);
    const isTop = parent === folder || parent === around.homeDirectory;
    if (isTop || folder === around.homeDirectory) break;
    folder = parent;
  }
  return places;
}

/** The user's own settings file, whether it exists or not. */
export function userFile(around: Surroundings): string {
  return pathsOf(around).join(userFolder(around, 'config'), 'config.yaml');
}

/** Where data goes when nothing else is said. */
export function defaultHome(around: Surroundings): string {
  return userFolder(around, 'data');
}

/** A path as written in a source, made absolute: `~` is the home directory, the rest starts at `base`. */
export function resolvePath(around: Surroundings, base: string, path: string): string {
  const paths = pathsOf(around);
  if (path === '~') return around.homeDirectory;
  if (/^~[/\\]/.test(path)) return paths.join(around.homeDirectory, path.slice(2));
  return paths.resolve(base, path);
}

export function pathsOf({ platform }: Surroundings): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
