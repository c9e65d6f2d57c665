import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { makeTinyLlama } from '../testkit/ml/tiny-llama.ts';
import { bubblewrapMissing } from '../testkit/sandbox/this-machine.ts';
import { LineClient } from './support/line-client.ts';
import { aFolder, runTutti, startTutti, type TuttiOptions } from './support/run-tutti.ts';

const hasVenv = spawnSync('python3', ['-I', '-c', 'import venv, ensurepip']).status === 0;
const why = bubblewrapMissing
  ? ' (skipped: no bubblewrap)'
  : hasVenv
    ? ''
    : ' (skipped: python3 in PATH has no venv; apt-get install python3-venv)';
const limitMs = 180_000;

const wheelWriter = `
import sys, zipfile
folder, name, code = sys.argv[1:]
info = name + "-1.0.dist-info"
files = {name + "/__init__.py": code, info + "/top_level.txt": name + "\\n",
  info + "/METADATA": "Metadata-Version: 2.1\\nName: " + name + "\\nVersion: 1.0\\n",
  info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
record = "".join(path + ",,\\n" for path in [*files, info + "/RECORD"])
with zipfile.ZipFile(folder + "/" + name + "-1.0-py3-none-any.whl", "w") as wheel:
    for path, text in {**files, info + "/RECORD": record}.items(): wheel.writestr(path, text)
`;

/** Enough of torch to be found and measured. */
const littleTorch = `
__version__ = "1.0"
class Matrix:
    def __matmul__(self, other): return self
def set_num_threads(count): pass
def ones(*shape): return Matrix()
def randn(*shape): return Matrix()
`;

interface Opened extends TuttiOptions {
  readonly environments: string;
  readonly writeWheel: (name: string, code: string) => void;
}

/** A project, and a folder of wheels that the settings name. */
function aProject(env: Readonly<Record<string, string>> = {}): Opened {
  const cwd = aFolder();
  const wheels = join(cwd, 'wheels');
  mkdirSync(wheels);
  const writeWheel = (name: string, code: string): void => {
    const { status, stderr } = spawnSync('python3', ['-c', wheelWriter, wheels, name, code]);
    if (status !== 0) throw new Error(String(stderr));
  };
  return {
    cwd,
    env: { TUTTI_TOOLS_TRAINING_WHEEL_DIR: wheels, ...env },
    environments: join(cwd, 'data', 'ml', 'environments'),
    writeWheel,
  };
}

const createEnv = (...packages: string[]): string[] => [
  'call',
  'ml.create_env',
  '--json',
  '--args',
  JSON.stringify({ engine: 'python', packages }),
];
const builtIn = ({ environments }: Opened): string[] =>
  existsSync(environments) ? readdirSync(environments) : [];

describe.skipIf(bubblewrapMissing || !hasVenv)(`an environment for training${why}`, () => {
  it(
    'that is built can be trained with right away, by the process that looked before it was there',
    { timeout: limitMs },
    async () => {
      const project = aProject();
      project.writeWheel('torch', littleTorch);
      makeTinyLlama(join(project.cwd, 'models', 'tiny'));
      writeFileSync(
        join(project.cwd, 'faq.jsonl'),
        Array.from({ length: 20 }, (_, at) => JSON.stringify({ text: `line number ${at}` })).join(
          '\n',
        ),
      );
      const client = new LineClient(startTutti(['mcp', '--only', 'ml'], project));
      await client.initialize();
      const call = async (name: string, args: object) =>
        (await client.ask('tools/call', { name, arguments: args }))?.result;
      const wanted = { base: 'tiny', dataset: 'faq.jsonl', engine: 'python' };
      expect(JSON.stringify(await call('estimate', wanted))).toContain(
        'no Python with torch was found',
      );
      const made = await call('create_env', { engine: 'python', packages: ['torch'] });
      expect(made).toMatchObject({
        structuredContent: { environment: { can_finetune: true, packages: { torch: '1.0' } } },
      });
      expect(await call('estimate', wanted)).toMatchObject({
        structuredContent: { engine: 'python', refusals: [] },
      });
    },
  );

  it(
    'is shown before it is approved; a call that only looks is not asked about',
    { timeout: limitMs },
    async () => {
      const project = aProject();
      project.writeWheel('tinypkg', '');
      const steps = [
        { id: 'look', tool: 'ml.create_env', args: {}, approval: true },
        {
          id: 'build',
          tool: 'ml.create_env',
          args: { engine: 'python', packages: ['tinypkg'] },
          approval: true,
        },
      ];
      writeFileSync(join(project.cwd, 'env.plan.json'), JSON.stringify({ version: 1, steps }));
      const { stdout, stderr } = await runTutti(['run', 'env.plan.json'], project);
      const shown = `${stdout}${stderr}`;
      expect(shown).toMatch(/installs\s+tinypkg/);
      expect(shown).toMatch(/from\s+\S+wheels \(no network; wheels only/);
      expect(shown).toMatch(/into\s+\S+environments/);
      expect(builtIn(project)).toEqual([]);
    },
  );

  it('is built once by two calls at once, and used again', { timeout: limitMs }, async () => {
    const project = aProject();
    project.writeWheel('tinypkg', '__version__ = "1.0"');
    const ended = await Promise.all([1, 2].map(() => runTutti(createEnv('tinypkg'), project)));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ended[0]?.stdout).toContain('"tinypkg":"1.0"');
    const [name = '', ...others] = builtIn(project);
    expect(others).toEqual([]);
    const inode = (): number => statSync(join(project.environments, name, 'venv')).ino;
    const before = inode();
    expect((await runTutti(createEnv('tinypkg'), project)).exitCode).toBe(0);
    expect(inode()).toBe(before);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves nothing when it is ended by %s while it is built',
    { timeout: limitMs },
    async (signal) => {
      const project = aProject();
      project.writeWheel('tinypkg', '');
      project.writeWheel('otherpkg', '');
      const child = startTutti(createEnv('tinypkg'), project);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await vi.waitFor(() => expect(builtIn(project)).toHaveLength(1), { timeout: 60_000 });
      child.kill(signal);
      await ended;
      if (signal === 'SIGKILL') {
        expect((await runTutti(createEnv('otherpkg'), project)).exitCode).toBe(0);
        expect(builtIn(project)).toHaveLength(1);
        return;
      }
      expect(builtIn(project)).toEqual([]);
    },
  );

  it.each([
    ['a package that does not exist', 'nosuchpkg', {}, /there is no nosuchpkg for this Python/],
    [
      'a package that cannot be imported',
      'broken',
      {},
      /broken cannot be imported \(ValueError: no\)/,
    ],
    [
      'an index that cannot be reached',
      'tinypkg',
      {
        TUTTI_TOOLS_TRAINING_WHEEL_DIR: '',
        TUTTI_TOOLS_TRAINING_PACKAGE_INDEX: 'http://user:secret@127.0.0.1:9/simple',
      },
      /from http:\/\/127\.0\.0\.1:9\/simple: the package index cannot be reached/,
    ],
  ])('is not there after %s, and the error says why', { timeout: limitMs }, async (...given) => {
    const [, wanted, env, says] = given;
    const project = aProject(env);
    project.writeWheel('broken', 'raise ValueError("no")');
    const { exitCode, stdout, stderr } = await runTutti(createEnv(wanted), project);
    expect(exitCode).not.toBe(0);
    expect(`${stdout}${stderr}`).toMatch(says);
    expect(`${stdout}${stderr}`).not.toContain('secret');
    expect(builtIn(project)).toEqual([]);
  });
});
