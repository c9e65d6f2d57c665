import { existsSync } from 'node:fs';
import type { ConnectionScope } from '../../../contract/client-connection/index.ts';
import type { ClientName } from '../../../contract/server-files/index.ts';
import { pathsOf, type Surroundings } from '../../locate.ts';
import { listClientFiles } from '../client-files.ts';

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
