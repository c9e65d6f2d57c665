import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml } from 'smol-toml';
import type {
  FoundServer,
  ImportPlan,
  ImportSource,
  NewServer,
  UnusableServer,
} from '../../contract/server-files/index.ts';
import { parseLenientJson } from '../../kernel/index.ts';
import { ForeignFileError } from '../errors.ts';
import { referencesIn } from '../launch-server.ts';
import type { Surroundings } from '../locate.ts';
import { decodeText, readBytes } from '../locked-file.ts';
import { isRecord } from '../setting.ts';
import { type ClientFile, listClientFiles } from './client-files.ts';
import { convertServer } from './convert-server.ts';

interface ImportRequest extends ImportSource {
  /** `mcpServers` of the user's file. */
  readonly existing: Readonly<Record<string, unknown>>;
}

/** What an import would do. Reads only; a client's file that cannot be read is named and the others count. */
export async function planImport(
  request: ImportRequest,
  around: Surroundings,
): Promise<ImportPlan> {
  const plan: Drafts = { files: [], added: [], duplicates: [], unusable: [] };
  const taken = new Map(Object.entries(request.existing));
  const { withProject = false } = request;
  for (const source of sourcesOf(request, around)) {
    let servers: readonly ForeignServer[] | undefined;
    try {
      servers = await readClientFile(source);
    } catch (error) {
      if (request.file !== undefined) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      plan.unusable.push({ name: '*', client: source.client, file: source.path, reason });
      continue;
    }
    if (servers === undefined && request.file !== undefined) {
      throw new ForeignFileError(request.file, 'there is no such file');
    }
    if (servers === undefined) continue;
    plan.files.push({ client: source.client, file: source.path });
    for (const server of servers) judge(server, { source, taken, plan, around, withProject });
  }
  return plan;
}

interface Drafts {
  readonly files: ImportPlan['files'][number][];
  readonly added: NewServer[];
  readonly duplicates: FoundServer[];
  readonly unusable: UnusableServer[];
}

type Source = Omit<ClientFile, 'client'> & { readonly client: FoundServer['client'] };

function sourcesOf(request: ImportRequest, around: Surroundings): readonly Source[] {
  if (request.file !== undefined) {
    return [{ client: request.client ?? 'file', path: request.file }];
  }
  const files = listClientFiles(around);
  return request.client === undefined
    ? files
    : files.filter(({ client }) => client === request.client);
}

interface Judging {
  readonly source: Source;
  /** Entries that count already, by name. */
  readonly taken: Map<string, unknown>;
  readonly plan: Drafts;
  readonly around: Surroundings;
  readonly withProject: boolean;
}

function judge(server: ForeignServer, judging: Judging): void {
  const { source, taken, plan, around, withProject } = judging;
  const found = { name: server.name, client: source.client, file: source.path };
  const converted = convertServer(server, around);
  if (converted.kind === 'unusable') {
    const { kind: _kind, ...why } = converted;
    plan.unusable.push({ ...found, ...why });
    return;
  }
  const { entry, notes } = converted;
  const other = taken.get(server.name);
  const isProjects = source.project !== undefined;
  if (other === undefined && isProjects && !withProject) {
    const reason = 'the project in this folder names it: look at it, then say --project';
    plan.unusable.push({ ...found, reason });
  } else if (other === undefined) {
    taken.set(server.name, entry);
    plan.added.push({
      ...found,
      entry,
      target: isProjects ? wholeTarget(entry) : targetOf(entry),
      notes: [...notes, ...needs(entry)],
    });
  } else if (isSameServer(other, entry)) {
    plan.duplicates.push(found);
  } else {
    const reason = 'another server has this name already: rename one of them';
    plan.unusable.push({ ...found, reason });
  }
}

/** What runs or is reached decides, not how long it may take or whether it is on. */
function isSameServer(one: unknown, other: unknown): boolean {
  const whatRuns = (entry: unknown): unknown => {
    const { command, args, env, url, headers }: Readonly<Record<string, unknown>> = isRecord(entry)
      ? entry
      : {};
    return [command, args ?? [], env ?? {}, url, headers ?? {}];
  };
  return isDeepStrictEqual(whatRuns(one), whatRuns(other));
}

const packageRunner = /(?:^|[/\\])(?:npx|pnpx|bunx|uvx)(?:\.cmd|\.exe)?$/;
const packageName = /^(?:@[\w.-]{1,100}\/)?[\w.-]{1,100}(?:@[\w.^~-]{1,40})?$/;

/** The program, with the package it runs, or the host of the address: what else stands there may be secret. */
function targetOf({ command, args, url }: Readonly<Record<string, unknown>>): string {
  if (typeof command === 'string') {
    const words: readonly unknown[] = Array.isArray(args) ? args : [];
    const [first] = words.filter((word) => typeof word === 'string' && !word.startsWith('-'));
    const isPackage = packageRunner.test(command) && packageName.test(String(first));
    return isPackage ? `${command} ${String(first)}` : command;
  }
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : 'an address';
}

/** The complete command: the user must see what a project would run. */
function wholeTarget({ command, args, url }: Readonly<Record<string, unknown>>): string {
  if (typeof command !== 'string') return String(url);
  const words: readonly unknown[] = Array.isArray(args) ? args : [];
  return [command, ...words].map(String).join(' ');
}

function needs(entry: Readonly<Record<string, unknown>>): string[] {
  const texts = JSON.stringify(entry);
  const names = new Set(referencesIn(texts).filter((name) => /^\w+$/.test(name)));
  return names.size === 0 ? [] : [`It needs ${[...names].join(', ')} in the environment.`];
}

/** A server in another client's format, unchecked. */
export interface ForeignServer {
  readonly name: string;
  readonly entry: unknown;
  /** The folder of the project it belongs to. */
  readonly project: string | undefined;
}

/** Claude Code keeps its history in the same file, so it may be large. */
const maxForeignBytes = 33_554_432;

/** The servers in a file of another client; undefined when there is no such file. */
async function readClientFile(
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
