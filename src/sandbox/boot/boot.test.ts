import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { seededRandom } from '../../../testkit/sample.ts';
import type { SandboxJob, Toolchain } from '../driver.ts';
import { defaultLimits } from '../limits.ts';
import { bootCommand, bootReadyMark, isReadAtStart, minimalEnv } from './boot.ts';
import { encodeJob } from './encode-job.ts';

const programs = { python: '/usr/bin/python3', node: process.execPath, command: '/bin/sh' };
const isWithoutPython = !existsSync(programs.python);
const kinds = (['python', 'node', 'command'] as const).filter((kind) => existsSync(programs[kind]));

function aToolchain(program: string): Toolchain {
  return { name: 'any', version: '1', program, mounts: [], searchPath: ['/usr/bin'], env: {} };
}

function aJob(changes: Partial<SandboxJob> & Pick<SandboxJob, 'program'>): SandboxJob {
  return { files: {}, env: {}, stdin: '', limits: defaultLimits, collect: null, ...changes };
}

/** Runs a boot as a sandbox would, in a folder of its own; all in pieces of a few bytes. */
async function runBoot(job: SandboxJob, directory = aDirectory()) {
  const { kind } = job.program;
  const [command = '', ...args] = bootCommand(kind, aToolchain(programs[kind]));
  const child = spawn(command, args, { cwd: directory, env: { PATH: '/usr/bin:/bin' } });
  child.stdin.on('error', () => {});
  for (const part of encodeJob(job)) child.stdin.write(part);
  child.stdin.end();
  const [stdout, stderr, exitCode] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise((resolve) => child.once('exit', resolve)),
  ]);
  expect(stdout.toString('latin1').startsWith(bootReadyMark)).toBe(true);
  return {
    stdout: stdout.subarray(bootReadyMark.length),
    stderr: stderr.toString(),
    exitCode,
    directory,
  };
}

const random = seededRandom(7);
const binary = Buffer.from(Array.from({ length: 70_000 }, () => Math.floor(random() * 256)));
const hostileText = `'"\\$(exit 3)\`\n\u2028😀 \u0000end`;

// The boots run inside Linux only; Python and GNU tools are those of the system.
describe.skipIf(process.platform !== 'linux')('a boot', () => {
  it.each(
    (
      [
        [
          'python',
          `import sys, os, json
sys.stdout.buffer.write(sys.stdin.buffer.read())
sys.stderr.write(json.dumps([sys.argv[1:], os.environ['ODD']]))`,
          'main.py',
        ],
        [
          'node',
          `process.stdout.write(require('node:fs').readFileSync(0));
process.stderr.write(JSON.stringify([process.argv.slice(2), process.env.ODD]))`,
          'main.cjs',
        ],
      ] as const
    ).filter(([kind]) => kinds.includes(kind)),
  )('gives %s its input byte by byte, and its words as they are', async (kind, code, main) => {
    const args = ["it's", '', '-c', 'a b\n"', '😀'];
    const env = { ODD: `'"$HOME \n😀` };
    const program = { kind, main, args };
    const result = await runBoot(aJob({ program, files: { [main]: code }, env, stdin: binary }));
    expect(result.stdout.equals(binary)).toBe(true);
    expect(JSON.parse(result.stderr)).toEqual([args, env.ODD]);
    expect(result.exitCode).toBe(0);
  });

  it('gives a command its input, its words and its variables untouched', async () => {
    const words = ["it's", '', '-c', 'a b\n"', '$(exit 3)', '`', '\\'];
    const argv = ['sh', '-c', 'cat; printf "%s|" "$@" "$ODD" >&2', 'sh', ...words];
    const env = { ODD: "o'dd" };
    const result = await runBoot(aJob({ program: { kind: 'command', argv }, env, stdin: binary }));
    expect(result.stdout.equals(binary)).toBe(true);
    expect(result.stderr).toBe(`${words.join('|')}|o'dd|`);
    const named = aJob({ program: { kind: 'command', argv: ['env'] }, env: { 'no.name': 'x' } });
    expect((await runBoot(named)).stdout.toString()).toContain('no.name=x\n');
  });

  it.each(kinds)('of %s lays out files as they are', async (kind) => {
    const long = `${'f'.repeat(120)}/${'n'.repeat(120)}`;
    const name = 'odd \'"$name\\ ü😀';
    const files = {
      'main.cjs': '',
      'a/b/c.bin': binary,
      [name]: hostileText,
      [long]: 'long',
      empty: '',
      'run.sh': '#!/bin/sh\n',
    };
    const program =
      kind === 'command' ? { kind, argv: ['true'] } : { kind, main: 'main.cjs', args: [] };
    const { directory, exitCode, stderr } = await runBoot(aJob({ program, files }));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(readFileSync(join(directory, 'a/b/c.bin')).equals(binary)).toBe(true);
    expect(readFileSync(join(directory, name), 'utf8')).toBe(hostileText);
    expect(readFileSync(join(directory, long), 'utf8')).toBe('long');
    expect(statSync(join(directory, 'empty')).size).toBe(0);
    expect(statSync(join(directory, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(directory, 'empty')).mode & 0o777).toBe(0o644);
  });

  it('gives up when the job ends before its end', async () => {
    for (const kind of kinds) {
      const [command = '', ...args] = bootCommand(kind, aToolchain(programs[kind]));
      const child = spawn(command, args, { env: { PATH: '/usr/bin:/bin' } });
      child.stdin.end('00000fff{');
      const exitCode = await new Promise((resolve) => child.once('exit', resolve));
      expect(exitCode).not.toBe(0);
    }
  });
});

// The boots run inside Linux only; Python and GNU tools are those of the system.
describe.skipIf(process.platform !== 'linux')('a program that a boot runs', () => {
  const python = async (code: string, files: Record<string, string> = {}) =>
    runBoot(
      aJob({
        program: { kind: 'python', main: 'main.py', args: [] },
        files: { 'main.py': code, ...files },
      }),
    );
  const node = async (main: string, code: string) =>
    runBoot(aJob({ program: { kind: 'node', main, args: [] }, files: { [main]: code } }));

  it.skipIf(isWithoutPython)(
    'is the main module of Python, beside its own modules, and leaves no bytecode',
    async () => {
      const { stdout, stderr, directory } = await python(
        `import other, sys, pickle
class Thing: pass
pickle.loads(pickle.dumps(Thing()))
print(__name__, other.answer, sys.path[0] == other.__file__.rsplit('/', 1)[0], sys.orig_argv[1:], __file__[-8:])
assert 'boot' not in dir(sys.modules['__main__'])`,
        { 'other.py': 'answer = 42' },
      );
      expect(stderr).toBe('');
      expect(stdout.toString()).toBe("__main__ 42 True ['main.py'] /main.py\n");
      expect(readdirSync(directory).sort()).toEqual(['main.py', 'other.py']);
    },
  );

  it.skipIf(isWithoutPython).each([
    [
      'raise ValueError("no")',
      1,
      /^Traceback \(most recent call last\):\n {2}File "[^"]+\/main.py", line 1, in <module>\n[^]*ValueError: no\n$/,
    ],
    ['x = (', 1, /^ {2}File "[^"]+\/main.py", line 1\n[^]*SyntaxError/],
    ['import sys; sys.exit(3)', 3, /^$/],
    ['import sys; sys.exit("words")', 1, /^words\n$/],
    ['raise SystemExit', 0, /^$/],
    ['raise KeyboardInterrupt', 130, /KeyboardInterrupt\n$/],
    ['import sys; sys.excepthook = lambda *a: print("hook", file=sys.stderr); 1/0', 1, /^hook\n$/],
    [
      'import atexit, sys; atexit.register(lambda: print("bye", file=sys.stderr)); 1/0',
      1,
      /ZeroDivisionError[^]*bye\n$/,
    ],
  ])('ends as Python ends it: %s', async (code, exitCode, complaint) => {
    const result = await python(code);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toMatch(complaint);
    expect(result.stderr).not.toContain('<string>');
  });

  it.skipIf(isWithoutPython)('is told by Python when it is not there', async () => {
    const program = { kind: 'python', main: 'none.py', args: [] } as const;
    const result = await runBoot(aJob({ program }));
    expect([result.exitCode, result.stderr]).toEqual([
      2,
      expect.stringContaining("can't open file"),
    ]);
  });

  it.skipIf(isWithoutPython)('sees the time zone it is given', async () => {
    const program = { kind: 'python', main: 'main.py', args: [] } as const;
    const files = { 'main.py': 'import time; print(time.strftime("%z", time.localtime(0)))' };
    const result = await runBoot(aJob({ program, files, env: { TZ: 'UTC-5' } }));
    expect(result.stdout.toString()).toBe('+0500\n');
  });

  it.each([
    [
      'main.cjs',
      'console.log(require.main === module, typeof fs, process.execArgv.length)',
      'true undefined 0\n',
    ],
    [
      'main.mjs',
      'console.log(typeof require, import.meta.filename.slice(-9), crypto.subtle !== undefined)',
      'undefined /main.mjs true\n',
    ],
    [
      'main.ts',
      'const answer: number = 42; console.log(answer, process.argv[1]?.slice(-8))',
      '42 /main.ts\n',
    ],
  ])('is run by Node as it would be otherwise: %s', async (main, code, output) => {
    const result = await node(main, code);
    expect([result.stdout.toString(), result.exitCode]).toEqual([output, 0]);
  });

  it('fails in Node without a trace of the boot', async () => {
    const result = await node('main.cjs', 'function fail() { throw new Error("no") }\nfail()');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('main.cjs:1');
    expect(result.stderr).not.toContain('[eval]');
  });
});

describe('the environment inside', () => {
  it('is what the toolchain needs and nothing of ours', () => {
    const toolchain = {
      ...aToolchain('/opt/x/bin/x'),
      searchPath: ['/opt/x/bin'],
      env: { X: '1' },
    };
    expect(minimalEnv(toolchain)).toEqual({
      PATH: '/opt/x/bin:/usr/local/bin:/usr/bin:/bin',
      HOME: '/work',
      LANG: 'C.UTF-8',
      X: '1',
    });
  });

  it('has variables that an interpreter that is up would not read', () => {
    const names = ['PYTHONPATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'LANG', 'LC_ALL', 'PATH', 'ANSWER'];
    expect(names.filter(isReadAtStart)).toEqual(names.slice(0, 5));
  });
});
