import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

const limitMs = 60_000;

interface Project {
  readonly cwd: string;
  readonly write: (name: string, text: string, mode?: number) => void;
  readonly tutti: (...argv: readonly string[]) => Promise<Ended>;
}

/** A folder with a `tutti.yaml`, as somebody downloads it. */
function aProject(settings: object): Project {
  const cwd = aFolder();
  const write = (name: string, text: string, mode = 0o644): void => {
    writeFileSync(join(cwd, name), text, { mode });
    chmodSync(join(cwd, name), mode);
  };
  write('tutti.yaml', JSON.stringify(settings));
  return { cwd, write, tutti: (...argv) => runTutti(argv, { cwd }) };
}

const flaw = 'import subprocess\n\n\ndef run(x):\n    subprocess.run(x, shell=True)\n';

describe('the settings of a downloaded project', { timeout: limitMs }, () => {
  it.each([
    ['severities', { code_review: { severity_levels: ['info'] } }],
    ['a limit of one', { code_review: { max_issues: 1, severity_levels: ['minor'] } }],
    ['a pattern', { exclude: ['bad*'] }],
    ['an exclusion of the file', { exclude: ['/bad.py', 'other/'] }],
    ['tools without the review', { enabled: ['format_code'] }],
  ])('hide no finding of its review by %s before it is trusted', async (_what, tools) => {
    const project = aProject({ tools });
    project.write('bad.py', flaw);
    project.write('good.py', 'x = 1\n');
    const review = async () => {
      const said = await project.tutti('call', 'code.review_code', 'path=.', '--json');
      const { issues = [] } = JSON.parse(said.stdout) as { issues?: { rule: string }[] };
      return { ...said, rules: issues.map(({ rule }) => rule) };
    };
    const before = await review();
    expect(before.rules).toContain('python/S602');
    expect(before.stderr).toContain('not used before "tutti trust"');
    expect((await project.tutti('trust', '--yes')).stderr).toContain('tools.');
    expect((await review()).rules).not.toContain('python/S602');
  });

  it('switch no question off', async () => {
    const { tutti } = aProject({ clarification: { enabled: false, max_questions: 1 } });
    const rows = JSON.parse((await tutti('config', '--json')).stdout) as { key: string }[];
    expect(rows).toContainEqual(
      expect.objectContaining({ key: 'clarification.enabled', value: true, source: 'default' }),
    );
  });
});

describe('a program of a trusted project that changes', { timeout: limitMs }, () => {
  const text = 'process.exit(1)\n';
  it.each([
    ['an argument', { command: 'node', args: ['server.js'] }, 'server.js'],
    ['an option', { command: 'node', args: ['--require=./hook.cjs', '-e', '1'] }, 'hook.cjs'],
    ['a shell', { command: 'sh', args: ['-c', 'exec "./run.sh"'] }, 'run.sh'],
    ['a variable', { command: 'node', env: { NODE_OPTIONS: '-r ./pre.js' } }, 'pre.js'],
    ['the command', { command: './serve' }, 'serve'],
  ])('asks again, named by %s', async (_what, entry, name) => {
    const project = aProject({ mcpServers: { sly: entry } });
    const state = async (): Promise<unknown> => {
      const { stdout } = await project.tutti('servers', '--no-start', '--json');
      const servers = JSON.parse(stdout) as { name: string; state: string }[];
      return servers.find((server) => server.name === 'sly')?.state;
    };
    project.write(name, text, 0o755);
    expect((await project.tutti('trust', '--yes')).stderr).toContain(join(project.cwd, name));
    expect(await state()).not.toBe('untrusted');
    project.write(name, `${text}// more\n`, 0o755);
    expect(await state()).toBe('untrusted');
    expect((await project.tutti('trust')).exitCode).toBe(4);
  });
});

it(
  'shows every variable a project sets, whatever it is called',
  async () => {
    const env = { GOAUTH: 'sh ./evil', KEY_NODE_OPTIONS: '-r ./x', SECRET_HOOK: 'git x', A: '1' };
    const { tutti } = aProject({ mcpServers: { sly: { command: 'go', env } } });
    const { stderr } = await tutti('trust', '--yes');
    for (const value of ['GOAUTH=sh ./evil', 'KEY_NODE_OPTIONS=-r ./x', 'SECRET_HOOK=git x']) {
      expect(stderr).toContain(JSON.stringify(value));
    }
  },
  limitMs,
);

describe('a secret on the command line', { timeout: limitMs }, () => {
  it.each([
    'models.openai_api_key=sk-verysecret',
    'server.auth_token=verysecret',
    'mcpServers={"a":{"command":"x","env":{"T":"verysecret"}}}',
    'models.providers={"p":{"kind":"openai","url":"http://x","api_key":"verysecret"}}',
    'database_url=postgres://u:verysecret@db/x',
  ])('is warned of: %s', async (assignment) => {
    const { tutti } = aProject({});
    const { stderr, stdout } = await tutti('config', '--set', assignment);
    expect(stderr).toMatch(/^warning: The secret in --set \S+=… is visible to all users/m);
    expect(stdout + stderr).not.toContain('verysecret');
  });

  it('is the only thing that is warned of', async () => {
    const { tutti } = aProject({});
    expect((await tutti('config', '--set', 'server.port=1')).stderr).toBe('');
  });
});

describe('a data directory that others can write', { timeout: limitMs }, () => {
  const isRoot = process.geteuid?.() === 0;
  const strange = 12_345;
  it.each([
    ['every user', 0o777, undefined],
    ['every user, like /tmp', 0o1777, undefined],
    ['only others', 0o702, undefined],
    ['a group', 0o770, { user: process.geteuid?.() ?? 0, group: strange }],
    ['its owner, who is someone else', 0o700, { user: strange, group: strange }],
  ])('is refused: %s', async (_who, mode, owner) => {
    if (owner && !isRoot) return;
    const { cwd, tutti } = aProject({});
    const home = join(cwd, 'shared');
    mkdirSync(home);
    chmodSync(home, mode);
    if (owner) chownSync(home, owner.user, owner.group);
    const { stderr, exitCode } = await tutti('tools', '--home', home);
    expect(stderr).toContain('other users can write to it');
    expect(exitCode).toBe(2);
  });

  it.each([0o700, 0o755])('is no directory of mode %o of the user', async (mode) => {
    const { cwd, tutti } = aProject({});
    mkdirSync(join(cwd, 'mine'));
    chmodSync(join(cwd, 'mine'), mode);
    expect((await tutti('tools', '--home', 'mine')).exitCode).toBe(0);
  });
});
