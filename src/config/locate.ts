import { access } from 'node:fs/promises';
import { posix, win32, type PlatformPath } from 'node:path';

/** What settings depend on beside their sources' contents. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home directory. */
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
}

const projectFileName = 'tutti.yaml';

/** Folders deeper than this are not searched to the top. */
const maxLevels = 64;

/**
 * The nearest `tutti.yaml` from `cwd` upwards. The search ends at the top of a git work tree, at the
 * top of the file system, and below the home directory, whose own file would rule every project.
 */
export async function findProjectFile(around: Surroundings): Promise<string | undefined> {
  const paths = pathsOf(around);
  let folder = around.cwd;
  for (let level = 0; level < maxLevels; level += 1) {
    const file = paths.join(folder, projectFileName);
    if (await exists(file)) return file;
    const parent = paths.dirname(folder);
    const isTop = parent === folder || parent === around.homeDirectory;
    if (isTop || folder === around.homeDirectory || (await exists(paths.join(folder, '.git'))))
      break;
    folder = parent;
  }
  return undefined;
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

function userFolder(around: Surroundings, kind: 'config' | 'data'): string {
  const { env, homeDirectory, platform } = around;
  const paths = pathsOf(around);
  // The XDG specification has relative values ignored.
  const xdg = env[kind === 'config' ? 'XDG_CONFIG_HOME' : 'XDG_DATA_HOME'];
  if (xdg !== undefined && paths.isAbsolute(xdg)) return paths.join(xdg, 'tutti');
  if (platform === 'darwin')
    return paths.join(homeDirectory, 'Library', 'Application Support', 'tutti');
  if (platform === 'win32') {
    const roaming = env['APPDATA'] ?? paths.join(homeDirectory, 'AppData', 'Roaming');
    const local = env['LOCALAPPDATA'] ?? paths.join(homeDirectory, 'AppData', 'Local');
    return paths.join(kind === 'config' ? roaming : local, 'tutti');
  }
  return paths.join(homeDirectory, kind === 'config' ? '.config' : '.local/share', 'tutti');
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
