import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxRun } from '../contract/sandbox/index.ts';
import { checkRun, type RunBounds } from './check-run.ts';
import { defaultLimits, hardCeilings } from './limits.ts';
import { aRun } from '../../testkit/sandbox/a-run.ts';

function aHome() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tutti-home-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const folder of ['project/node_modules', '.ssh'])
    mkdirSync(join(home, folder), { recursive: true });
  mkdirSync(join(home, '.config'), { recursive: true });
  writeFileSync(join(home, '.netrc'), 'secret');
  symlinkSync(home, join(home, 'project', 'link-to-home'));
  return home;
}

function within(homeDirectory: string): RunBounds {
  return { homeDirectory, ceilings: hardCeilings() };
}

async function problemOf(change: Partial<SandboxRun>, home = '/home/nobody'): Promise<string> {
  const error: unknown = await checkRun(aRun(change), within(home)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'sandbox.invalid_run' });
  return String(error);
}

describe('a run', () => {
  it('may have files in folders, arguments, variables, and paths to collect', async () => {
    const run = aRun({
      toolchain: 'python',
      program: { kind: 'python', main: 'src/main.py', args: ['', 'a b', '--x=ü'] },
      files: { 'src/main.py': 'pass', 'src/deep/ü ö.bin': Buffer.from([0]), '.hidden': '' },
      env: { A_1: 'multi\nline', _b: '' },
      collect: { paths: ['out'], maxFiles: 10, maxBytes: 10 },
    });
    expect(await checkRun(run, within('/home/nobody'))).toEqual(run);
  });

  it.each([
    ['../x', '".." is not allowed'],
    ['a/../../x', '".." is not allowed'],
    ['/etc/passwd', 'must be relative'],
    ['a\0b', 'control characters'],
    ['a\nb', 'control characters'],
    ['', 'empty path'],
    ['./a', 'empty names and "."'],
    ['a//b', 'empty names'],
    ['a/', 'empty names'],
    ['x'.repeat(300), 'too long'],
    ['x/'.repeat(700), 'too long'],
  ])('is refused with a path that leaves the work folder or is odd: %j', async (path, problem) => {
    expect(await problemOf({ files: { [path]: '' } })).toContain(problem);
    const python = { kind: 'python', main: path, args: [] } as const;
    expect(await problemOf({ program: python })).toContain(problem);
    const collect = { paths: [path], maxFiles: 1, maxBytes: 1 };
    expect(await problemOf({ collect })).toContain(problem);
  });

  it('is refused when a file is also a folder', async () => {
    const files = { a: '', 'a/b': '' };
    expect(await problemOf({ files })).toContain('"a" is a file and the folder of "a/b"');
  });

  it('is refused when its files do not fit on its disk', async () => {
    const limits = { ...defaultLimits, diskBytes: 100_000 };
    const files = { a: Buffer.alloc(60_000), b: 'x'.repeat(60_000) };
    expect(await problemOf({ files, limits })).toContain('120000 bytes, and 100000 are allowed');
  });

  it.each<[string, Partial<SandboxRun>]>([
    [
      '20000 are allowed',
      { files: Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`f${n}`, ''])) },
    ],
    [
      '4096 are allowed',
      { program: { kind: 'command', argv: Array.from({ length: 5000 }, () => 'a') } },
    ],
    ['its command is empty', { program: { kind: 'command', argv: [] } }],
    [
      'argument 1 has more than',
      { program: { kind: 'command', argv: ['a', 'x'.repeat(200_000)] } },
    ],
    ['argument 1 has a NUL', { program: { kind: 'command', argv: ['a', '\0'] } }],
    ['no name of a variable', { env: { 'A=B': 'x' } }],
    ['no name of a variable', { env: { '1A': 'x' } }],
    ['A has a NUL', { env: { A: '\0' } }],
    ['A has more than', { env: { A: 'x'.repeat(200_000) } }],
    [
      '512 are allowed',
      { env: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`V${n}`, ''])) },
    ],
    ['standard input', { stdin: new Uint8Array(64 * 1024 * 1024 + 1) }],
    ['no name of a toolchain', { toolchain: '../python' }],
    ['collect.maxFiles is -1', { collect: { paths: [], maxFiles: -1, maxBytes: 1 } }],
    ['collect.maxBytes is', { collect: { paths: [], maxFiles: 1, maxBytes: 1e12 } }],
    ['the limit wallMs is', { limits: { ...defaultLimits, wallMs: 1e9 } }],
  ])('is refused with what is beyond any bound: %s', async (problem, change) => {
    expect(await problemOf(change)).toContain(problem);
  });
});

describe('a mount', () => {
  it('may show a folder below the work folder, with links in its source resolved', async () => {
    const home = aHome();
    symlinkSync(join(home, 'project'), join(home, 'alias'));
    const mounts = [{ source: join(home, 'alias', 'node_modules'), target: '/work/node_modules' }];
    const { mounts: checked } = await checkRun(
      aRun({ mounts, files: { 'a.js': '' } }),
      within(home),
    );
    expect(checked).toEqual([
      { source: join(home, 'project', 'node_modules'), target: '/work/node_modules' },
    ]);
  });

  it.each([
    ['HOME', 'whole home folder'],
    ['/', 'whole home folder'],
    ['HOME/project/link-to-home', 'whole home folder'],
    ['HOME/.ssh', 'holds secrets'],
    ['HOME/.config', 'holds secrets'],
    ['HOME/.netrc', 'holds secrets'],
    ['/etc', 'shows /etc'],
    ['/proc/1', 'shows /proc'],
    ['/dev', 'shows /dev'],
    ['project', 'no absolute path'],
    ['HOME/nothing', 'no such file'],
  ])('never shows %s', async (source, problem) => {
    const home = aHome();
    const mounts = [{ source: source.replace('HOME', home), target: '/work/m' }];
    expect(await problemOf({ mounts }, home)).toContain(problem);
  });

  it('never shows a socket', async () => {
    const home = aHome();
    const socket = join(home, 'project', 'socket');
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const mounts = [{ source: socket, target: '/work/m' }];
    expect(await problemOf({ mounts }, home)).toContain('neither a file nor a folder');
  });

  it.each([
    ['/work', 'must be below'],
    ['/usr/lib', 'must be below'],
    ['/etc/passwd', 'must be below'],
    ['/work/../etc', 'no plain absolute path'],
    ['work/a', 'must be below'],
    ['/work/a/', 'no plain absolute path'],
    ['/work/src', 'hides the file "src/main.py"'],
    ['/work/src/main.py', 'hides the file'],
    ['/work/src/main.py/x', 'hides the file'],
  ])('never appears at %s', async (target, problem) => {
    const home = aHome();
    const mounts = [{ source: join(home, 'project'), target }];
    expect(await problemOf({ mounts, files: { 'src/main.py': '' } }, home)).toContain(problem);
  });

  it('may appear where the host has it, but not over the system', async () => {
    const home = aHome();
    const source = join(home, 'project');
    await checkRun(aRun({ mounts: [{ source, target: source }] }), within(home));
    for (const path of ['/usr/share', '/bin', '/lib/x', '/work/x', '/'])
      await problemOf({ mounts: [{ source: path, target: path }] }, home);
    const elsewhere = { source, target: join(home, 'other') };
    expect(await problemOf({ mounts: [elsewhere] }, home)).toContain('must be below');
  });

  it('never appears inside of another, or twice', async () => {
    const home = aHome();
    writeFileSync(join(home, 'project', 'f'), '');
    const source = join(home, 'project');
    const at = (...targets: string[]) => ({
      mounts: targets.map((target) => ({ source, target })),
    });
    expect(await problemOf(at('/work/a', '/work/a/b'), home)).toContain('would be inside');
    expect(await problemOf(at('/work/a', '/work/a'), home)).toContain('twice');
    const many = Array.from({ length: 65 }, (_, index) => `/work/${index}`);
    expect(await problemOf(at(...many), home)).toContain('64 are allowed');
    await checkRun(aRun(at('/work/a', '/work/ab', '/opt/x')), within(home));
  });
});
