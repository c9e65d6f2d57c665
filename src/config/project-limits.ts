import { lstat, realpath } from 'node:fs/promises';
import { type Assignment, joinKey, type Layer, type SettingProblem } from './settings.ts';
import { shorten } from './check-value.ts';
import { pathsOf, resolvePath, type Surroundings, userFile } from './locate.ts';
import { type Setting, transformValue, valueSchema } from './setting.ts';

/** What is wrong with a setting of the user in a project's file, and where it goes instead. */
export function refuseInProject(
  setting: Setting,
  userPath: string,
): Omit<SettingProblem, 'source'> {
  return {
    key: setting.key,
    expected: `in ${elsewhere(setting, userPath)}`,
    found: 'in the file of a project, which may not set it',
  };
}

/** The layer with a problem in place of each value of a project that leads out of the project's folder. */
export async function limitToProject(layer: Layer, around: Surroundings): Promise<Layer> {
  const assignments: Assignment[] = [];
  const problems = [...layer.problems];
  for (const assignment of layer.assignments) {
    const found = await findPathsOutside(assignment, around);
    if (found.length === 0) assignments.push(assignment);
    problems.push(...found);
  }
  return { assignments, problems };
}

async function findPathsOutside(
  assignment: Assignment,
  around: Surroundings,
): Promise<SettingProblem[]> {
  const { setting, source } = assignment;
  if (source.kind !== 'project' || setting.traits.isWithinProject !== true) return [];
  const folder = pathsOf(around).dirname(source.file);
  const problems: SettingProblem[] = [];
  for (const [index, text] of textsOf(assignment).entries()) {
    if (await isWithin(around, folder, resolvePath(around, folder, text))) continue;
    problems.push({
      source,
      key: joinKey(setting.key, [index]),
      expected: `a path at or below ${folder} (others in ${elsewhere(setting, userFile(around))})`,
      found: shorten(JSON.stringify(text)),
    });
  }
  return problems;
}

function textsOf(assignment: Assignment): readonly string[] {
  const texts: string[] = [];
  transformValue(valueSchema(assignment), assignment.value, {
    text: (text) => texts.push(text),
    extra: (extra) => extra,
  });
  return texts;
}

function elsewhere({ key, variables, traits }: Setting, userPath: string): string {
  const flag = traits.flag ?? `--set ${key}=…`;
  return `your own ${userPath}, in ${variables[0]} or in a flag (${flag})`;
}

/** Both as written and after links: a project may hold a link to anywhere. */
async function isWithin(around: Surroundings, folder: string, path: string): Promise<boolean> {
  if (!isBelow(around, folder, path)) return false;
  const [realFolder, real] = await Promise.all([
    realpath(folder),
    realPathOfExisting(around, path),
  ]);
  return real !== undefined && isBelow(around, realFolder, real);
}

export function isBelow(around: Surroundings, folder: string, path: string): boolean {
  const paths = pathsOf(around);
  const way = paths.relative(folder, path);
  return !paths.isAbsolute(way) && way.split(paths.sep)[0] !== '..';
}

/** Where the existing beginning of a path really is; undefined for a link that leads nowhere, or may not be followed. */
async function realPathOfExisting(around: Surroundings, path: string): Promise<string | undefined> {
  const paths = pathsOf(around);
  // Ends at the folder of the settings file at the latest, which exists.
  for (let existing = path; ; existing = paths.dirname(existing)) {
    try {
      return await realpath(existing);
    } catch (error) {
      if (!isMissing(error) || (await isLink(existing))) return undefined;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
