import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings } from './load-settings.ts';
import { aProject } from '../../testkit/config/folders.ts';
import { grantTrust } from './trust.ts';

const projectFile = 'home/project/tutti.yaml';

function aProjectWith(entry: object, files: Readonly<Record<string, string>> = {}) {
  const { base, options } = aProject({
    [projectFile]: JSON.stringify({ mcpServers: { a: entry } }),
    ...Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`home/project/${name}`, text]),
    ),
  });
  return {
    change: (name: string) => writeFileSync(join(base, 'home/project', name), 'changed'),
    pathOf: (name: string) => join(base, 'home/project', name),
    claims: async () => (await loadSettings(options)).project,
  };
}

describe('what is trusted of a project', () => {
  it.each([
    ['a script as argument', { command: 'node', args: ['lib/server.mjs'] }, 'lib/server.mjs'],
    ['a script without its ending', { command: 'node', args: ['server'] }, 'server.js'],
    ['a folder', { command: 'node', args: ['.'] }, 'index.js'],
    ['a module', { command: 'python', args: ['-m', 'tool'] }, 'tool/__main__.py'],
    ['an option with =', { command: 'node', args: ['--import=./hook.ts', '-e', '1'] }, 'hook.ts'],
    ['a shell text', { command: 'sh', args: ['-c', 'cd . && "./run.sh"'] }, 'run.sh'],
    ['a variable', { command: 'x', env: { NODE_OPTIONS: '--require ./pre.js' } }, 'pre.js'],
    ['the command', { command: './start' }, 'start'],
    ['any file that is run', { command: 'python', args: ['-u', 'notes.txt'] }, 'notes.txt'],
    ['a path with dots', { command: 'node', args: ['x/../y/z.js'] }, 'y/z.js'],
    ['another folder', { command: 'node', args: ['z.js'], cwd: 'y' }, 'y/z.js'],
  ])('includes the program named by %s', async (_what, entry, name) => {
    const project = aProjectWith(entry, { [name]: 'before' });
    const before = await project.claims();
    expect(before?.files).toContain(project.pathOf(name));
    expect((await project.claims())?.digest).toBe(before?.digest);
    project.change(name);
    expect((await project.claims())?.digest).not.toBe(before?.digest);
  });

  it('includes a program that comes later, and one that becomes one', async () => {
    const entry = { command: 'node', args: ['-e', '1', '--', 'later.js', 'data'] };
    const project = aProjectWith(entry, { data: 'a' });
    const before = await project.claims();
    expect(before?.files).toEqual([]);
    project.change('later.js');
    const after = await project.claims();
    expect(after?.digest).not.toBe(before?.digest);
    chmodSync(project.pathOf('data'), 0o755);
    expect((await project.claims())?.digest).not.toBe(after?.digest);
  });

  it('leaves out what servers write: databases, logs, memories', async () => {
    const args = ['server.js', '--db', './x.db', '--log=run.log'];
    const entry = { command: 'node', args, env: { MEMORY_FILE_PATH: 'memory.json' } };
    const project = aProjectWith(entry, { 'x.db': '', 'run.log': '', 'memory.json': '{}' });
    const before = await project.claims();
    for (const name of ['x.db', 'run.log', 'memory.json']) project.change(name);
    expect(await project.claims()).toEqual(before);
  });

  it('is asked for each time where an entry names more than can be looked at', async () => {
    const args = Array.from({ length: 2_001 }, (_, index) => `f${index}`);
    const project = aProjectWith({ command: 'x', args });
    expect((await project.claims())?.digest).not.toBe((await project.claims())?.digest);
  });
});

describe('settings of a project that need trust', () => {
  it.each([
    ['tools', { code_review: { severity_levels: ['info'] } }],
    ['tools', { code_review: { max_issues: 1 } }],
    ['tools', { exclude: ['*'] }],
    ['tools', { enabled: ['format_code'] }],
    ['clarification', { enabled: false }],
    ['clarification', { confidence_threshold: 0 }],
  ])('%s %j count once it is trusted, and are named before', async (group, value) => {
    const { options } = aProject({ [projectFile]: JSON.stringify({ [group]: value }) });
    const before = await loadSettings(options);
    const plain = await loadSettings({ ...options, cwd: options.homeDirectory });
    expect(before.values).toMatchObject({ tools: plain.values.tools });
    expect(before.values.clarification).toEqual(plain.values.clarification);
    expect(before.warnings).toEqual([
      expect.stringMatching(`not used before "tutti trust": ${group}`),
    ]);
    const { file = '', digest = '' } = before.project ?? {};
    await grantTrust(before.values.home, { file, digest, trustedAt: '' });
    const after = await loadSettings(options);
    expect(after.values).toMatchObject({ [group]: value });
    expect(after.warnings).toEqual([]);
  });
});
