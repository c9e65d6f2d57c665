import { settingsSchema } from '../../contract/settings/index.ts';
import { checkValue } from '../check-value.ts';
import { pathsOf, type Surroundings } from '../locate.ts';
import { isRecord } from '../setting.ts';
import type { ForeignServer } from './plan-import.ts';

/** A foreign server as an entry of ours, or why it cannot be one. */
type Converted =
  | {
      readonly kind: 'usable';
      readonly entry: Readonly<Record<string, unknown>>;
      /** What the user has to see to, as sentences. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'unusable'; readonly reason: string; readonly isTutti?: boolean };

/** Keys that mean the same here; others belong to their client and stay behind. */
const keptKeys = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled', 'enabled'];

/** The entry in our words: variables of editors replaced, keys of other clients left behind. */
export function convertServer(foreign: ForeignServer, around: Surroundings): Converted {
  if (!isRecord(foreign.entry)) return unusable('its entry is not an object');
  const flat = flattenCommand(foreign.entry);
  if (flat['command'] === undefined && flat['url'] === undefined) {
    return unusable(
      flat['source'] === 'extension' || flat['settings'] !== undefined
        ? 'an extension of the editor starts it'
        : 'it has neither a command nor an address',
    );
  }
  if (isTutti(flat)) return { ...unusable('it is Tutti itself'), isTutti: true };
  const notes: string[] = [];
  const variables = editorVariables(foreign.project, around);
  const entry: Record<string, unknown> = {};
  for (const key of keptKeys) {
    const replaced = replaceVariables(flat[key], variables, notes);
    if (replaced.missing !== undefined) {
      return unusable(`"${key}" needs ${replaced.missing}, which only its editor knows`);
    }
    if (replaced.value !== undefined) entry[key] = replaced.value;
  }
  if (flat['envFile'] !== undefined) {
    notes.push('Its "envFile" is not read: name what it needs from there under "env".');
  }
  if (entry['command'] !== undefined) {
    if (entry['cwd'] === undefined && foreign.project !== undefined) entry['cwd'] = foreign.project;
  }
  const [problem] = checkValue(settingsSchema.shape.mcpServers, { [foreign.name]: entry });
  if (problem) {
    const path = problem.path.slice(1);
    const where = path.length > 0 ? `${path.join('.')}: ` : '';
    return unusable(`${where}expected ${problem.expected}, found ${problem.found}`);
  }
  return { kind: 'usable', entry, notes: [...new Set(notes)] };
}

function unusable(reason: string): { kind: 'unusable'; reason: string } {
  return { kind: 'unusable', reason };
}

/** Zed's older `command: {path, args, env}`, Windsurf's `serverUrl`, and types others call otherwise. */
function flattenCommand(
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { command, serverUrl, type, transport } = entry;
  const flat: Record<string, unknown> = { ...entry };
  if (isRecord(command)) {
    flat['command'] = command['path'] ?? command['command'];
    flat['args'] = command['args'] ?? entry['args'];
    flat['env'] = command['env'] ?? entry['env'];
  }
  if (flat['url'] === undefined && serverUrl !== undefined) flat['url'] = serverUrl;
  const named = typeof type === 'string' ? type : transport;
  if (typeof named === 'string') flat['type'] = named === 'streamableHttp' ? 'http' : named;
  if (flat['env'] === null) delete flat['env'];
  if (flat['command'] === '' || flat['command'] === null) delete flat['command'];
  return flat;
}

/** A fleet that has itself as a member would start itself for ever. */
export function isTutti({ command, args }: Readonly<Record<string, unknown>>): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return (
    words.some(
      (word) =>
        typeof word === 'string' && /(?:^|[/\\])tutti(?:\.js|\.cmd|@[\w.^~-]+)?$/.test(word),
    ) && words.includes('mcp')
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What editors put in place of `${…}` beside variables of the environment. */
function editorVariables(project: string | undefined, around: Surroundings): Variables {
  const paths = pathsOf(around);
  return {
    userHome: around.homeDirectory,
    workspaceFolder: project,
    workspaceRoot: project,
    cwd: project,
    workspaceFolderBasename: project === undefined ? undefined : paths.basename(project),
    pathSeparator: paths.sep,
    '/': paths.sep,
  };
}

interface Replaced {
  readonly value: unknown;
  /** A variable of the editor that has no value here. */
  readonly missing?: string;
}

function replaceVariables(value: unknown, variables: Variables, notes: string[]): Replaced {
  let missing: string | undefined;
  const replace = (text: string): string =>
    text.replaceAll(/\$\{([^{}]{1,256})\}/g, (whole, inner: string) => {
      if (Object.hasOwn(variables, inner)) {
        missing ??= variables[inner] === undefined ? whole : undefined;
        return variables[inner] ?? whole;
      }
      if (!inner.startsWith('input:')) return whole;
      const name = inner.slice('input:'.length).toUpperCase().replaceAll(/\W/g, '_');
      const variable = /^\d/.test(name) ? `_${name}` : name;
      notes.push(`Its editor asks for "${inner}": set the environment variable ${variable}.`);
      return `\${env:${variable}}`;
    });
  const each = (part: unknown): unknown => (typeof part === 'string' ? replace(part) : part);
  let replaced = each(value);
  if (Array.isArray(value)) replaced = value.map(each);
  if (isRecord(value)) {
    // Clients take numbers and truths in `env`; a program gets texts.
    replaced = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        typeof part === 'number' || typeof part === 'boolean' ? String(part) : each(part),
      ]),
    );
  }
  return missing === undefined ? { value: replaced } : { value: replaced, missing };
}
