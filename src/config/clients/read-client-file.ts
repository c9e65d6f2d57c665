import { parse as parseToml } from 'smol-toml';
import { parseLenientJson } from '../../kernel/index.ts';
import { ForeignFileError } from '../errors.ts';
import { decodeText, readBytes } from '../read-bytes.ts';
import { isRecord } from '../transform-value.ts';
import type { ClientFile } from './client-files.ts';

/** A server as another client has it, not yet looked at. */
export interface ForeignServer {
  readonly name: string;
  readonly entry: unknown;
  /** The folder of the project it belongs to. */
  readonly project: string | undefined;
}

/** Claude Code keeps its history in the same file, so it may be large. */
const maxForeignBytes = 33_554_432;

/** The servers in a file of another client; undefined when there is no such file. */
export async function readClientFile(
  file: Omit<ClientFile, 'client'>,
): Promise<readonly ForeignServer[] | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(file.path, maxForeignBytes + 1);
  } catch (error) {
    throw new ForeignFileError(file.path, error instanceof Error ? error.message : String(error));
  }
  if (bytes === undefined) return undefined;
  if (bytes.length > maxForeignBytes) {
    throw new ForeignFileError(file.path, `it is larger than ${maxForeignBytes} bytes`);
  }
  const text = decodeText(bytes);
  if (text?.trim() === '') return [];
  const settings = text === undefined ? undefined : parseSettings(file.path, text);
  if (!isRecord(settings)) throw new ForeignFileError(file.path, 'it is not a JSON object');
  return [...serversIn(settings, file.project), ...serversOfProjects(settings)];
}

function parseSettings(path: string, text: string): unknown {
  if (!path.endsWith('.toml')) return parseLenientJson(text);
  try {
    return parseToml(text);
  } catch {
    throw new ForeignFileError(path, 'it is not valid TOML');
  }
}

/** `mcpServers` of most, `servers` of VS Code, `mcp.servers` of its old settings, `context_servers` of Zed, `mcp_servers` of Codex. */
function serversIn(
  settings: Readonly<Record<string, unknown>>,
  project: string | undefined,
): ForeignServer[] {
  const inner = settings['mcp'];
  const groups = [
    settings['mcpServers'],
    settings['servers'],
    isRecord(inner) ? inner['servers'] : undefined,
    settings['context_servers'],
    settings['mcp_servers'],
  ];
  return groups.flatMap((group) =>
    isRecord(group) ? Object.entries(group).map(([name, entry]) => ({ name, entry, project })) : [],
  );
}

/** Claude Code keeps the servers of each project under the project's folder. */
function serversOfProjects(settings: Readonly<Record<string, unknown>>): ForeignServer[] {
  const projects = settings['projects'];
  if (!isRecord(projects)) return [];
  return Object.entries(projects).flatMap(([folder, project]) =>
    isRecord(project) ? serversIn({ mcpServers: project['mcpServers'] }, folder) : [],
  );
}
