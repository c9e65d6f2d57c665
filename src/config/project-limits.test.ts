import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aboutOf, type SettingTraits } from '../contract/settings/index.ts';
import { ConfigError } from './errors.ts';
import { type LoadOptions, loadSettings } from './load-settings.ts';
import type { SettingProblem } from './settings.ts';
import { asSchema, listSettings, type Setting, unwrap } from './setting.ts';
import { aProject } from '../../testkit/config/folders.ts';

const projectFile = 'home/project/tutti.yaml';
const userFile = 'home/.config/tutti/config.yaml';

const userOnly = listSettings().filter(({ traits }) => traits.isUserOnly === true);

async function problemsOf(options: LoadOptions): Promise<readonly SettingProblem[]> {
  const outcome = await loadSettings(options).catch((error: unknown) => error);
  if (outcome instanceof ConfigError) return outcome.problems;
  if (outcome instanceof Error) throw outcome;
  return [];
}

/** A setting as a file writes it: one line of braces per level. */
function asYaml({ path }: Setting, value: unknown): string {
  return JSON.stringify(path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value));
}

describe('a setting that only the user may set', () => {
  it.each(userOnly.map((setting) => [setting.key, setting] as const))(
    '%s is refused in a project’s file, and the message says where it goes',
    async (key, setting) => {
      // Any value: whether it fits does not matter where it may not stand.
      const { base, options } = aProject({ [projectFile]: `# 1\n${asYaml(setting, 'anything')}` });
      const [problem, ...others] = await problemsOf(options);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        key,
        source: { kind: 'project', file: join(base, projectFile), line: 2 },
      });
      expect(problem?.expected).toContain(join(base, userFile));
      expect(problem?.expected).toContain(setting.variables[0]);
      expect(problem?.expected).toContain(setting.traits.flag ?? `--set ${key}=…`);
      expect(problem?.found).not.toContain('anything');
    },
  );

  it.each(userOnly.map((setting) => [setting.key, setting] as const))(
    '%s in the user’s file is never refused for its place',
    async (_key, setting) => {
      const { options } = aProject({ [userFile]: asYaml(setting, 'anything') });
      const problems = await problemsOf(options);
      expect(problems.filter(({ found }) => found.includes('project'))).toEqual([]);
    },
  );

  it('says so in one sentence', async () => {
    const { base, options } = aProject({ [projectFile]: 'server:\n  host: 0.0.0.0\n' });
    await expect(loadSettings(options)).rejects.toThrow(
      `${join(base, projectFile)}:2:3: server.host: expected in your own ${join(base, userFile)}, in ` +
        'TUTTI_SERVER_HOST or in a flag (tutti serve --host), found in the file of a project, which may not set it',
    );
  });

  it('is refused also through an alias and where a stronger source hides it', async () => {
    const text =
      'mcpServers: {a: {command: x, env: &hidden {file: /etc/passwd}}}\nlogging: *hidden';
    const { options } = aProject({ [projectFile]: text });
    const problems = await problemsOf({ ...options, flags: { 'logging.file': 'mine.log' } });
    expect(problems.map(({ key }) => key)).toEqual(['logging.file']);
  });

  it('comes from the user’s file, a variable or a flag as ever', async () => {
    const { options } = aProject({ [userFile]: 'logging: {file: /u/tutti.log}\nhome: /u' });
    const env = { TUTTI_TRACING_OTLP_ENDPOINT: 'http://localhost:4318' };
    const { values } = await loadSettings({ ...options, env, flags: { 'server.port': '1' } });
    expect(values.home).toBe('/u');
    expect(values.logging.file).toBe('/u/tutti.log');
    expect(values.tracing.otlp_endpoint).toBe('http://localhost:4318');
    expect(values.server.port).toBe(1);
  });
});

describe('roots in a project’s file', () => {
  it.each([['.', 'a', 'a/../b', './a/b', 'not/there/yet', '..a', 'link-inside'], ['~/project/a']])(
    'may be folders at or below it: %s, …',
    async (...roots) => {
      const { base, options } = aProject({ [projectFile]: JSON.stringify({ roots }) });
      mkdirSync(join(base, 'home/project/a'));
      symlinkSync('a', join(base, 'home/project/link-inside'));
      expect(await problemsOf(options)).toEqual([]);
    },
  );

  it.each(['/', '..', '../other', 'a/../..', '~', '~/other', '../project-too', '/etc/passwd'])(
    'may not be %s',
    async (root) => {
      const { base, options } = aProject({ [projectFile]: `\nroots:\n  - .\n  - "${root}"` });
      expect(await problemsOf(options)).toEqual([
        {
          source: { kind: 'project', file: join(base, projectFile), line: 2, column: 1 },
          key: 'roots.1',
          expected: expect.stringContaining(`a path at or below ${join(base, 'home/project')}`),
          found: JSON.stringify(root),
        },
      ]);
      expect((await problemsOf(options))[0]?.expected).toContain('--root');
    },
  );

  it.each([
    ['a link to a folder outside', '/', 'link'],
    ['a folder behind such a link', '/', 'link/usr'],
    ['a missing folder behind such a link', '/', 'link/not-there-at-all'],
    ['a link to nothing, which may become anything', '/not-there-at-all', 'link'],
    ['a link to itself', 'link', 'link'],
  ])('may not be %s', async (_name, target, root) => {
    const { base, options } = aProject({ [projectFile]: `roots: [${root}]` });
    symlinkSync(target, join(base, 'home/project/link'));
    expect((await problemsOf(options)).map(({ key }) => key)).toEqual(['roots.0']);
  });

  it('may be anything when the user, a variable or a flag says so', async () => {
    const { options } = aProject({ [userFile]: 'roots: ["/"]' });
    expect((await loadSettings(options)).values.roots).toEqual(['/']);
    const env = { TUTTI_ROOTS: '/a,/b' };
    expect((await loadSettings({ ...options, env })).values.roots).toEqual(['/a', '/b']);
  });

  it('starts where the project is, also when the way to it is a link', async () => {
    const { base, options } = aProject({ [projectFile]: 'roots: [., a]', 'home/project/a/x': '' });
    symlinkSync(join(base, 'home/project'), join(base, 'shortcut'));
    expect(await problemsOf({ ...options, cwd: join(base, 'shortcut') })).toEqual([]);
  });
});

describe('the schema', () => {
  it('lets a project set no path, no address and no secret without limits', () => {
    const open = listSettings().filter(
      ({ schema, traits }) =>
        traitsWithin(schema).some((part) => part.isPath ?? part.isAddress ?? part.isSecret) &&
        traits.isUserOnly !== true &&
        traits.isWithinProject !== true,
    );
    // Entries of `mcpServers` are data until the user trusts them.
    expect(open.map(({ key, traits }) => [key, traits.needsTrust])).toEqual([['mcpServers', true]]);
  });

  it('keeps from projects all of the server, and of the log all but its level', () => {
    const keys = userOnly.map(({ key }) => key);
    expect(keys).toEqual(
      expect.arrayContaining(['home', 'server.host', 'server.port', 'logging.file']),
    );
    const free = listSettings().filter(({ key }) => /^(?:server|logging|tracing)\./.test(key));
    expect(free.filter(({ key }) => !keys.includes(key)).map(({ key }) => key)).toEqual([
      'logging.level',
    ]);
  });
});

/** The traits of a schema and of all its parts. */
function traitsWithin(schema: z.ZodType): SettingTraits[] {
  const inner = unwrap(schema);
  const own = [aboutOf(schema), aboutOf(inner)];
  if (inner instanceof z.ZodArray) return [...own, ...traitsWithin(asSchema(inner.element))];
  if (inner instanceof z.ZodRecord) return [...own, ...traitsWithin(asSchema(inner.valueType))];
  if (!(inner instanceof z.ZodObject)) return own;
  return [...own, ...Object.values(inner.shape).flatMap((part) => traitsWithin(asSchema(part)))];
}
