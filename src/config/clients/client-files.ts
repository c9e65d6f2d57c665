import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConnectionScope } from '../../contract/client-connection/index.ts';
import type { ClientName } from '../../contract/server-files/index.ts';
import { liesInside } from '../../kernel/index.ts';
import { ClientFileError } from '../errors.ts';
import { pathsOf, type Surroundings } from '../locate.ts';
import { readBytes, realFile } from '../locked-file.ts';

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

/** Where and how a client lists MCP servers. */
export interface ClientTarget {
  readonly file: string;
  readonly format: 'json' | 'toml';
  /** The key of the object that holds one entry per server. */
  readonly section: string;
  /** Members its entries have beside `command` and `args`. */
  readonly extra: Readonly<Record<string, string>>;
}

type Shape = Omit<ClientTarget, 'file'>;

const common: Shape = { format: 'json', section: 'mcpServers', extra: {} };

const shapes: Readonly<Record<ClientName, Shape>> = {
  'claude-desktop': common,
  'claude-code': { ...common, extra: { type: 'stdio' } },
  cursor: common,
  vscode: { ...common, section: 'servers', extra: { type: 'stdio' } },
  windsurf: common,
  zed: { ...common, section: 'context_servers' },
  codex: { ...common, format: 'toml', section: 'mcp_servers' },
  gemini: common,
};

/** The file an entry goes to; undefined when the client has no file of that scope. */
export function clientTarget(
  client: ClientName,
  scope: ConnectionScope,
  around: Surroundings,
): ClientTarget | undefined {
  const files = listClientFiles(around)
    .filter((file) => file.client === client && !isOlderFile(file.path))
    .filter(({ project }) => (project === undefined) === (scope === 'user'))
    .map(({ path }) => path);
  // VS Code has a second installation, Insiders: it is meant when it is the only one.
  const file = files.find((path) => existsSync(pathsOf(around).dirname(path))) ?? files[0];
  return file === undefined ? undefined : { file, ...shapes[client] };
}

/** VS Code reads servers from `settings.json`, too, where it used to keep them. */
function isOlderFile(path: string): boolean {
  return /[/\\]User[/\\]settings\.json$/.test(path);
}

/** Whether the client seems to be installed: it has a settings folder. */
export function isClientFound(client: ClientName, around: Surroundings): boolean {
  const paths = pathsOf(around);
  const file = clientTarget(client, 'user', around)?.file ?? '';
  if (client !== 'claude-code') return existsSync(paths.dirname(file));
  return existsSync(file) || existsSync(paths.join(around.homeDirectory, '.claude'));
}

/** Claude Code keeps its history in the same file, so it may be large. */
const maxBytes = 33_554_432;

/** The text of a settings file with its byte order mark; undefined when there is no file. */
export async function readSettingsText(file: string): Promise<string | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(file, maxBytes + 1);
  } catch (error) {
    throw new ClientFileError(file, error instanceof Error ? error.message : String(error));
  }
  if (bytes === undefined) return undefined;
  if (bytes.length > maxBytes)
    throw new ClientFileError(file, `it is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ClientFileError(file, 'it is not UTF-8 text');
  }
}

/**
 * The file that is written. The user's own links (dotfiles) are followed; a project is foreign, so its
 * links must not lead out of it.
 */
export async function realTarget(
  file: string,
  scope: ConnectionScope,
  project: string,
): Promise<string> {
  if (scope === 'user') return realFile(file, 'user');
  const isLink = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (isLink)
    throw new ClientFileError(file, 'it is a link, and links of a project are not followed');
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!liesInside(await realpath(project), await realpath(folder))) {
    throw new ClientFileError(file, 'its folder is a link that leads out of the project');
  }
  return file;
}
