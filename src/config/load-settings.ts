import { createHash, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { holdsReference, settingsSchema } from '../contract/settings/index.ts';
import { lookupTable, pluralize, Secret } from '../kernel/index.ts';
import { defineServers } from './define-servers.ts';
import { describeSettings, showsSecret } from './describe-settings.ts';
import { ConfigError } from './errors.ts';
import {
  defaultHome,
  findProjectFile,
  pathsOf,
  resolvePath,
  type Surroundings,
  userFile,
} from './locate.ts';
import { readBytes } from './locked-file.ts';
import { isBelow, limitToProject } from './project-limits.ts';
import { readSettingsFile } from './read-file.ts';
import { readEnvironment, readFlags, warnOfUnknownVariables } from './read-texts.ts';
import { isRecord, listSettings, type Setting, transformValue, valueSchema } from './setting.ts';
import type {
  Assignment,
  DefinedServer,
  Layer,
  LoadedSettings,
  ProjectClaims,
  Settings,
} from './settings.ts';
import { isTrustedAs, readTrust } from './trust.ts';

export interface LoadOptions extends Surroundings {
  /** By dotted key; texts are read like environment variables. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** `TUTTI_…` variables that other programs of ours read. */
const reservedVariables = ['TUTTI_OWNER', 'TUTTI_PROOF', 'TUTTI_SERVER', 'TUTTI_TOKEN'];

/**
 * The effective settings from, strongest first: flags, environment, the project's `tutti.yaml`, the
 * user's file, defaults. Throws `ConfigError` with everything that is wrong in any of them.
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const settings = listSettings();
  const projectFile = await findProjectFile(options);
  const files = await readFiles(settings, projectFile, options);
  const layers = [
    readFlags(settings, options.flags),
    readEnvironment(settings, options.env),
    ...files.map(({ layer }) => layer),
  ];
  const problems = layers.flatMap((layer) => layer.problems);
  if (problems.length > 0) throw new ConfigError(problems);

  const all = layers
    .flatMap((layer) => layer.assignments)
    .map((assignment) => withAbsolutePaths(assignment, options));
  const servers = defineServers(all, options);
  const project =
    projectFile === undefined
      ? undefined
      : await claimsOf(projectFile, all, { servers, around: options });
  const home = homeOf(chooseStrongest(all), options);
  const isTrusted = project !== undefined && isTrustedAs(project, await readTrust(home));
  const chosen = chooseStrongest(isTrusted ? all : all.filter((one) => !isHeldBack(one)));
  const given = assemble(settings, chosen, options);
  const values = seal(given);
  const sources = new Map([...chosen].map(([key, { source }]) => [key, source]));
  return {
    values,
    sources,
    files: files.map(({ path }) => path),
    servers,
    project,
    userFile: userFile(options),
    warnings: [
      ...warnOfUnknownVariables(settings, options.env, reservedVariables),
      ...warnOfSecretFlags(all),
      ...(project === undefined || isTrusted ? [] : warnOfUntrusted(project)),
    ],
    describe: () => describeSettings({ settings, given, sources }),
  };
}

async function readFiles(
  settings: readonly Setting[],
  project: string | undefined,
  options: LoadOptions,
): Promise<{ path: string; layer: Layer }[]> {
  const user = userFile(options);
  const read = [];
  for (const [kind, path] of [
    ['project', project],
    ['user', user === project ? undefined : user],
  ] as const) {
    if (path === undefined) continue;
    const layer = await readSettingsFile(settings, { kind, path, userPath: user });
    if (layer !== undefined) read.push({ path, layer: await limitToProject(layer, options) });
  }
  return read;
}

function withAbsolutePaths(assignment: Assignment, around: Surroundings): Assignment {
  const { entry, source } = assignment;
  const base = 'file' in source ? pathsOf(around).dirname(source.file) : around.cwd;
  const value = transformValue(valueSchema(assignment), assignment.value, {
    text: (text, traits) => {
      // What a reference stands for is known when the server starts.
      const isKept = traits.isPath !== true || (entry !== undefined && holdsReference(text));
      return isKept ? text : resolvePath(around, base, text);
    },
    extra: (extra) => extra,
  });
  return { ...assignment, value };
}

/** By key, and for maps by entry, what the strongest source says. */
function chooseStrongest(assignments: readonly Assignment[]): ReadonlyMap<string, Assignment> {
  const chosen = new Map<string, Assignment>();
  for (const assignment of assignments) {
    const { setting, entry } = assignment;
    const key = entry === undefined ? setting.key : `${setting.key}.${entry}`;
    if (!chosen.has(key)) chosen.set(key, assignment);
  }
  return chosen;
}

/** The data directory; no project has a say in it. */
function homeOf(chosen: ReadonlyMap<string, Assignment>, around: Surroundings): string {
  const home = chosen.get('home')?.value;
  return typeof home === 'string' ? home : defaultHome(around);
}

/** Every user of the machine sees the command lines of all processes, and shells keep them. */
function warnOfSecretFlags(assignments: readonly Assignment[]): string[] {
  return assignments
    .filter((one) => one.source.kind === 'flag' && showsSecret(valueSchema(one), one.value))
    .map(({ setting: { key, variables } }) => {
      const instead = `set ${variables[0] ?? key} or your own settings file instead`;
      return `The secret in --set ${key}=… is visible to all users of this machine: ${instead}`;
    });
}

/** The values as one tree that fits the schema, defaults filled in. */
function assemble(
  settings: readonly Setting[],
  chosen: ReadonlyMap<string, Assignment>,
  around: Surroundings,
): Record<string, unknown> {
  const home = homeOf(chosen, around);
  const computed: Readonly<Record<string, unknown>> = lookupTable({
    home,
    roots: [around.cwd],
    'conversation.session_dir': pathsOf(around).join(home, 'sessions'),
    'logging.file': pathsOf(around).join(home, 'logs', 'tutti.log'),
  });
  const tree: Record<string, unknown> = {};
  for (const setting of settings) {
    const entries = [...chosen.values()].filter((one) => one.setting === setting);
    const value = setting.isMap
      ? Object.fromEntries(entries.map((one) => [one.entry, one.value]))
      : (entries[0]?.value ?? setting.defaultValue ?? computed[setting.key]);
    if (value !== undefined) place(tree, setting.path, value);
  }
  return tree;
}

function place(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const inner = tree[name];
  const group: Record<string, unknown> = isRecord(inner) ? { ...inner } : {};
  place(group, rest, value);
  tree[name] = group;
}

function seal(tree: Record<string, unknown>): Settings {
  // Settings are parsed once: turning their schema into code takes longer than parsing them without.
  const parsed = settingsSchema.parse(tree, { jitless: true });
  // `Sealed` describes just this change: texts whose schema is a secret become `Secret`s.
  return transformValue(settingsSchema, parsed, {
    text: (text, traits) => (traits.isSecret === true ? new Secret(text) : text),
    extra: (extra) => extra,
  }) as Settings;
}

/** Of a larger file the size and the time of its last change stand for the rest. */
const maxFileBytes = 16_777_216;
/** Entries with more words than this ask for trust every time. */
const maxWords = 2_000;

/** What interpreters and package runners make of a name: `node server`, `python -m server`, `node .`. */
const fileForms =
  ' .js .mjs .cjs .ts .py .sh /package.json /index.js /__main__.py /__init__.py'.split(' ');

/** Everything a project's file asks for that counts only once the user trusts it. */
async function claimsOf(
  file: string,
  assignments: readonly Assignment[],
  { servers, around }: { servers: readonly DefinedServer[]; around: Surroundings },
): Promise<ProjectClaims> {
  const own = servers.filter(({ source }) => source.kind === 'project');
  const settings = assignments.filter(isHeldBack).map(({ setting, value }) => ({
    key: setting.key,
    value,
  }));
  const { files, isComplete } = await digestNamedFiles(file, own, around);
  const section = own
    .map(({ name, fingerprint }) => [name, fingerprint])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // As it was when only servers needed trust, so that what was trusted then still is.
  const more = settings.length + files.size === 0 ? [] : [settings, [...files]];
  const digest = createHash('sha256')
    .update(JSON.stringify([file, section, ...more, ...(isComplete ? [] : [randomUUID()])]))
    .digest('hex');
  return { file, digest, settings, files: [...files.keys()].sort() };
}

/** Whether a project's file sets it and it needs trust. Servers are listed, and do not start (`chooseServers`). */
function isHeldBack({ setting, source }: Assignment): boolean {
  return (
    source.kind === 'project' && setting.traits.needsTrust === true && setting.key !== 'mcpServers'
  );
}

function warnOfUntrusted({ file, settings }: ProjectClaims): string[] {
  if (settings.length === 0) return [];
  const keys = settings.map(({ key }) => key).join(', ');
  return [
    `${pluralize(settings.length, 'setting')} of ${file} not used before "tutti trust": ${keys}`,
  ];
}

/**
 * The programs of the project that commands, arguments and variables of its servers name, with what is in them.
 * What a server is given to read and write, a database for example, is no program and may change.
 */
async function digestNamedFiles(
  projectFile: string,
  servers: readonly DefinedServer[],
  around: Surroundings,
): Promise<{ files: ReadonlyMap<string, string>; isComplete: boolean }> {
  const folder = pathsOf(around).dirname(projectFile);
  const named = new Map<string, boolean>();
  for (const { settings } of servers) {
    const { command = '', args, env, cwd = folder } = settings;
    // An interpreter runs the first of these, whatever it is called.
    const run = [command, args.find((arg) => !arg.startsWith('-')) ?? ''];
    const given = [...args, ...Object.values(env).map((value) => value.reveal())];
    const words = given.flatMap((text) => [text, ...text.split(/[\s"'`=:;,|&<>()]+/)]);
    for (const word of new Set([...words, ...run])) {
      const path = resolvePath(around, resolvePath(around, folder, cwd), word);
      if (word === '' || word.includes('\0') || !isBelow(around, folder, path)) continue;
      named.set(path, run.includes(word) || named.get(path) === true);
    }
  }
  const files = new Map<string, string>();
  for (const [path, isRun] of [...named].slice(0, maxWords)) {
    for (const form of fileForms) {
      const digest = await digestProgram(path + form, isRun || form !== '');
      if (digest !== undefined) files.set(path + form, digest);
    }
  }
  return { files, isComplete: named.size <= maxWords };
}

const programName =
  /\.(?:[cm]?[jt]s|[jt]sx|py[cwz]?|sh|bash|zsh|fish|rb|p[lm]|php|lua|jar|ps1|bat|cmd|exe|so|dylib|dll|node|wasm)$/i;
const anyExecutes = 0o111;
const scriptMark = '#!';

async function digestProgram(path: string, isRun: boolean): Promise<string | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    const bytes = (await readBytes(path, Math.min(info.size, maxFileBytes))) ?? new Uint8Array();
    const isProgram = isRun || programName.test(path) || (info.mode & anyExecutes) !== 0;
    const begins = Buffer.from(bytes.subarray(0, scriptMark.length)).toString('latin1');
    if (!isProgram && begins !== scriptMark) return undefined;
    const rest = info.size > maxFileBytes ? `${info.size} ${info.mtimeMs}` : '';
    return createHash('sha256').update(bytes).update(rest).digest('hex');
  } catch (error) {
    const { code } = Object(error);
    // One that is there and cannot be read may become readable, with anything in it.
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) ? undefined : String(code);
  }
}
