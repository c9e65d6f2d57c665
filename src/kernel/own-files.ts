import { existsSync, readFileSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** True in `src/`, where Node runs the TypeScript itself; false in the bundles of `dist/`. */
const isSource = import.meta.url.endsWith('.ts');

/** A file or folder of this package by its path below `src/`; the build keeps such paths in `dist/`. */
export function ownFile(path: string): URL {
  return new URL(`${isSource ? 'src' : 'dist'}/${path}`, packageRoot());
}

/** A module that is started on its own, such as a worker, by its path without the ending. */
export function ownModule(path: string): URL {
  return ownFile(`${path}.${isSource ? 'ts' : 'js'}`);
}

/** The program that users start, for code that has to start it again. */
export function ownProgram(): URL {
  return new URL('bin/tutti.js', packageRoot());
}

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(new URL('package.json', packageRoot()), 'utf8');
  // Our own file, of the package that this code is a part of.
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Found by its `package.json`, because the build puts a module elsewhere than its source stands. */
function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw new Error(`No package.json above ${import.meta.url}`);
    folder = parent;
  }
  return folder;
}

/** Whose folders are meant: a user's on a kind of system, with what their variables say. */
interface UserSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
}

/** Where programs of this user keep settings, or data, by the customs of their system. */
export function userFolder(around: UserSurroundings, kind: 'config' | 'data'): string {
  const { env, homeDirectory, platform } = around;
  const paths = platform === 'win32' ? win32 : posix;
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
