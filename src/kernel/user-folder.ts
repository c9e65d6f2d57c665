import { posix, win32 } from 'node:path';

/** Whose folders are meant: a user's on a kind of system, with what their variables say. */
export interface UserSurroundings {
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
