import type { ClientName } from '../../contract/server-files/index.ts';
import { pathsOf, type Surroundings } from '../locate.ts';

/** A file in which a client may keep servers, whether it exists or not. */
export interface ClientFile {
  readonly client: ClientName;
  readonly path: string;
  /** The folder of the project it belongs to; undefined for the user's own file. */
  readonly project?: string;
}

/** Every place where clients keep servers: for the user, and for the project in the current folder. */
export function listClientFiles(around: Surroundings): readonly ClientFile[] {
  const { cwd, env, homeDirectory } = around;
  const paths = pathsOf(around);
  const home = (...parts: string[]): string => paths.join(homeDirectory, ...parts);
  const application = applicationFolder(around);
  const project = (client: ClientName, ...parts: string[]): ClientFile => ({
    client,
    path: paths.join(cwd, ...parts),
    project: cwd,
  });
  const claudeFolder = env['CLAUDE_CONFIG_DIR'] ?? homeDirectory;
  return [
    {
      client: 'claude-desktop',
      path: paths.join(application, 'Claude', 'claude_desktop_config.json'),
    },
    { client: 'claude-code', path: paths.join(claudeFolder, '.claude.json') },
    project('claude-code', '.mcp.json'),
    { client: 'cursor', path: home('.cursor', 'mcp.json') },
    project('cursor', '.cursor', 'mcp.json'),
    ...['Code', 'Code - Insiders'].flatMap((name): ClientFile[] => [
      { client: 'vscode', path: paths.join(application, name, 'User', 'mcp.json') },
      { client: 'vscode', path: paths.join(application, name, 'User', 'settings.json') },
    ]),
    project('vscode', '.vscode', 'mcp.json'),
    { client: 'windsurf', path: home('.codeium', 'windsurf', 'mcp_config.json') },
    { client: 'zed', path: zedFile(around) },
    project('zed', '.zed', 'settings.json'),
    { client: 'codex', path: paths.join(env['CODEX_HOME'] ?? home('.codex'), 'config.toml') },
    project('codex', '.codex', 'config.toml'),
    { client: 'gemini', path: home('.gemini', 'settings.json') },
    project('gemini', '.gemini', 'settings.json'),
  ];
}

/** Where desktop programs keep their settings. */
function applicationFolder(around: Surroundings): string {
  const { env, homeDirectory, platform } = around;
  const paths = pathsOf(around);
  if (platform === 'darwin') return paths.join(homeDirectory, 'Library', 'Application Support');
  if (platform === 'win32') {
    return env['APPDATA'] ?? paths.join(homeDirectory, 'AppData', 'Roaming');
  }
  return env['XDG_CONFIG_HOME'] ?? paths.join(homeDirectory, '.config');
}

/** Zed follows the XDG folders on macOS too. */
function zedFile(around: Surroundings): string {
  const { env, homeDirectory, platform } = around;
  const paths = pathsOf(around);
  if (platform === 'win32') return paths.join(applicationFolder(around), 'Zed', 'settings.json');
  const folder = env['XDG_CONFIG_HOME'] ?? paths.join(homeDirectory, '.config');
  return paths.join(folder, 'zed', 'settings.json');
}
