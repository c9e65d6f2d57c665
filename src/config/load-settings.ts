import { holdsReference, settingsSchema } from '../contract/settings/index.ts';
import { lookupTable, Secret } from '../kernel/index.ts';
import type { Assignment, Layer, LoadedSettings, Settings } from './settings.ts';
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
import { claimsOf, isHeldBack, warnOfUntrusted } from './project-claims.ts';
import { limitToProject } from './project-limits.ts';
import { readSettingsFile } from './read-file.ts';
import { readEnvironment, readFlags, warnOfUnknownVariables } from './read-texts.ts';
import { isRecord, listSettings, type Setting, transformValue, valueSchema } from './setting.ts';
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
