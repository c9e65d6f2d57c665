import { holdsReference, settingsSchema } from '../contract/settings/index.ts';
import { Secret, lookupTable } from '../kernel/index.ts';
import type { Assignment, Layer } from './assignment.ts';
import { defineServers } from './define-servers.ts';
import { describeSettings } from './describe-settings.ts';
import { ConfigError } from './errors.ts';
import {
  defaultHome,
  findProjectFile,
  pathsOf,
  resolvePath,
  userFile,
  type Surroundings,
} from './locate.ts';
import { limitToProject } from './project-limits.ts';
import { readSettingsFile } from './read-file.ts';
import { readEnvironment, readFlags, warnOfUnknownVariables } from './read-texts.ts';
import { listSettings, valueSchema, type Setting } from './setting.ts';
import type { LoadedSettings, Settings } from './settings.ts';
import { isRecord, transformValue } from './transform-value.ts';

export interface LoadOptions extends Surroundings {
  /** By dotted key; texts are read like environment variables. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** `TUTTI_…` variables that other programs of ours read. */
const reservedVariables = ['TUTTI_OWNER', 'TUTTI_PROOF'];

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

  const assignments = layers
    .flatMap((layer) => layer.assignments)
    .map((assignment) => withAbsolutePaths(assignment, options));
  const chosen = chooseStrongest(assignments);
  const given = assemble(settings, chosen, options);
  const values = seal(given);
  const sources = new Map([...chosen].map(([key, { source }]) => [key, source]));
  return {
    values,
    sources,
    files: files.map(({ path }) => path),
    servers: defineServers(assignments, options),
    projectFile,
    userFile: userFile(options),
    warnings: warnOfUnknownVariables(settings, options.env, reservedVariables),
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

/** The values as one tree that fits the schema, defaults filled in. */
function assemble(
  settings: readonly Setting[],
  chosen: ReadonlyMap<string, Assignment>,
  around: Surroundings,
): Record<string, unknown> {
  const chosenHome = chosen.get('home')?.value;
  const home = typeof chosenHome === 'string' ? chosenHome : defaultHome(around);
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
