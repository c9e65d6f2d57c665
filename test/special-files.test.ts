import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, vi } from 'vitest';
import { aFolder, runTutti, startTutti, untilEnd, type Ended } from './support/run-tutti.ts';
import { sampleSeeded } from '../testkit/sample.ts';

const secret = 'top-secret-of-the-user';
const step = { id: 'a', tool: 'code.format_code', args: { language: 'python', code: 'x=1' } };

/** A cloned repository with a file that is none, beside a file of the user. */
function aClone(): { readonly cwd: string; readonly project: string } {
  const cwd = aFolder();
  const project = join(cwd, 'clone');
  mkdirSync(join(project, 'sub'), { recursive: true });
  const stolen = { steps: [{ ...step, id: 'stolen', title: secret }] };
  writeFileSync(join(cwd, 'secret.json'), JSON.stringify(stolen));
  writeFileSync(join(project, 'real.json'), JSON.stringify({ steps: [step] }));
  return { cwd, project };
}

const isNotRegular = 'it is not a regular file';
const leadsOut = 'it is a link that leads out of';
const traps: readonly (readonly [
  kind: string,
  trap: (path: string, cwd: string) => void,
  said: string,
])[] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path]), isNotRegular],
  ['a link to a device that never ends', (path) => symlinkSync('/dev/zero', path), isNotRegular],
  ['a link to a terminal', (path) => symlinkSync('/dev/ptmx', path), isNotRegular],
  ['a folder', (path) => mkdirSync(path), 'it is a folder'],
  ['a link out', (path, cwd) => symlinkSync(join(cwd, 'secret.json'), path), leadsOut],
  ['a relative link out', (path) => symlinkSync('../secret.json', path), leadsOut],
  [
    'a link out by a link',
    (path, cwd) => {
      symlinkSync('next', path);
      symlinkSync(join(cwd, 'secret.json'), join(path, '..', 'next'));
    },
    leadsOut,
  ],
];

/** Every way to name a file, with `trap` as the file. */
const ways: readonly (readonly [way: string, argv: readonly string[]])[] = [
  ['@file', ['call', 'code.format_code', 'language=python', 'code=@trap']],
  ['--args-file', ['call', 'code.format_code', '--args-file', 'trap']],
  ['a plan', ['run', 'trap']],
  ['an input of a plan', ['run', 'real.json', '--input', 'a=@trap']],
  ['a sub-plan', ['plan', 'check', 'outer.json']],
  ['an attachment', ['ask', 'explain @./trap']],
  ['a saved session', ['sessions', 'import', 'trap']],
];

const cases = traps.flatMap(([kind, trap, said]) =>
  ways.map(([way, argv]) => ({ kind, way, trap, said, argv })),
);

it.each(sampleSeeded(cases, 14))(
  '$kind in a repository is not read as $way',
  { timeout: 30_000 },
  async ({ trap, said, argv }) => {
    const { cwd, project } = aClone();
    trap(join(project, 'trap'), cwd);
    const outer = { steps: [{ id: 'inner', plan: 'trap' }] };
    writeFileSync(join(project, 'outer.json'), JSON.stringify(outer));
    const { stdout, stderr, exitCode } = await runIn(project, argv);
    expect(exitCode).not.toBe(0);
    // Attachments are refused by the roots already, and folders are named and not read.
    if (argv[0] !== 'ask') expect(stdout + stderr).toContain(said);
    expect(stdout + stderr).not.toContain(secret);
  },
);

function runIn(cwd: string, argv: readonly string[]): Promise<Ended> {
  return runTutti(argv, { cwd });
}

it('a file that the user names outside of the folder is read', { timeout: 30_000 }, async () => {
  const { cwd, project } = aClone();
  writeFileSync(join(cwd, 'mine.py'), 'x=1');
  const argv = ['call', 'code.format_code', 'language=python', 'code=@../mine.py'];
  // A busy machine may have it say that it waits.
  expect(await runIn(project, argv)).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringMatching(/error/i),
  });
});

const projectFiles = ['.gitignore', 'pyproject.toml', 'tutti.yaml', '.tutti/standards/a.md'];

it.each(sampleSeeded(projectFiles, 2))(
  'a pipe called %s holds up no tool',
  { timeout: 60_000 },
  async (name) => {
    const { project } = aClone();
    mkdirSync(join(project, '.tutti/standards'), { recursive: true });
    execFileSync('mkfifo', [join(project, name)]);
    writeFileSync(join(project, 'a.py'), 'import os\n');
    for (const tool of ['workspace.list_files', 'code.review_code', 'code.scan_secrets']) {
      const { stdout, stderr } = await runIn(project, ['call', tool, 'path=.']);
      expect(stdout + stderr).not.toBe('');
    }
  },
);

it('a second SIGTERM ends it at once, even when a thread hangs', { timeout: 30_000 }, async () => {
  const cwd = aFolder();
  const pipe = join(cwd, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const hang = `import{open}from'node:fs';open(${JSON.stringify(pipe)},'r',()=>{})`;
  const nodeArguments = ['--import', `data:text/javascript,${hang}`];
  const child = startTutti(['serve', '--port', '0'], { cwd, nodeArguments });
  const ended = untilEnd(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  child.kill('SIGTERM');
  const health = `${line.slice('listening on '.length)}/health`;
  await vi.waitFor(() => expect(fetch(health)).rejects.toThrow('fetch failed'), {
    timeout: 10_000,
  });
  child.kill('SIGTERM');
  await ended;
  expect(child.signalCode).toBe('SIGTERM');
});
