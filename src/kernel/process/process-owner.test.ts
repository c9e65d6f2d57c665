import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { silentLog } from '../log.ts';
import { listProcesses, type ProcessRow } from './list-processes.ts';
import type { OwnedProcess, ProcessOwner, ProcessSpec } from './owned-process.ts';
import { markVariable } from './owner-record.ts';
import { createProcessOwner } from './process-owner.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const shell = (script: string): ProcessSpec => ({ command: 'sh', args: ['-c', script], env });

interface OwnerUnderTest {
  readonly owner: ProcessOwner;
  readonly runDirectory: string;
  readonly lines: LoggedLine[];
}

function anOwner(maxPrograms?: number): OwnerUnderTest {
  const runDirectory = join(aDirectory(), 'run');
  const lines: LoggedLine[] = [];
  const limits = maxPrograms === undefined ? {} : { maxPrograms };
  const owner = createProcessOwner({ runDirectory, log: recordedLog(lines), ...limits });
  onTestFinished(() => owner.close());
  return { owner, runDirectory, lines };
}

async function untilReady(program: OwnedProcess): Promise<void> {
  for await (const _chunk of program.stdout.iterator({ destroyOnReturn: false })) return;
}

/** The mark of the owner, as its record has it. */
function markIn(runDirectory: string): string {
  const [name = 'none'] = readdirSync(runDirectory);
  return `${name.replace('.json', '')}.`;
}

async function marked(runDirectory: string): Promise<ProcessRow[]> {
  const mark = markIn(runDirectory);
  return (await listProcesses()).filter((row) => row.mark?.includes(mark));
}

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('a program that is owned', () => {
  it('has as many pipes more as it asked for, both ways', async () => {
    const { owner } = anOwner();
    const script = 'read -r line <&3; echo "got $line" >&3; echo done >&4';
    const program = await owner.start({ ...shell(script), extraPipes: 2 });
    const [first, second] = program.pipes;
    first?.write('words\n');
    const answers = await Promise.all([first, second].map((pipe) => text(pipe ?? program.stdout)));
    expect(answers).toEqual(['got words\n', 'done\n']);
    expect((await owner.start(shell('exit 0'))).pipes).toEqual([]);
  });

  it('is not looked for after its end when the kernel takes all it started along', async () => {
    const { owner, runDirectory } = anOwner();
    const ended = await owner.start({ ...shell('(sleep 1000 &) ; exit 3'), isEnclosed: true });
    expect(await ended.exited).toEqual({ exitCode: 3, signal: null });
    // Its group is killed all the same.
    while ((await marked(runDirectory)).length > 0) await sleep(5);
    const running = await owner.start({ ...shell('sleep 1000'), isEnclosed: true });
    expect(await running.stop(0)).toMatchObject({ exitCode: null });
  });

  it('gets just the environment it was given, and a mark', async () => {
    const { owner } = anOwner();
    const program = await owner.start({
      command: '/usr/bin/env',
      args: [],
      env: { ANSWER: '42' },
    });
    const variables = (await text(program.stdout)).trim().split('\n').sort();
    expect(variables).toHaveLength(2);
    expect(variables[0]).toBe('ANSWER=42');
    expect(variables[1]).toMatch(new RegExp(`^${markVariable}=.*[0-9a-f]{18}\\.1;$`));
    expect(await program.exited).toEqual({ exitCode: 0, signal: null });
  });

  it('speaks through its pipes and runs in the folder it was given', async () => {
    const { owner } = anOwner();
    const cwd = aDirectory();
    const program = await owner.start({ ...shell('pwd; cat; echo sorry >&2; exit 3'), cwd });
    program.stdin.end('hello');
    const said = await Promise.all([text(program.stdout), text(program.stderr)]);
    expect(said).toEqual([`${cwd}\nhello`, 'sorry\n']);
    expect(await program.exited).toEqual({ exitCode: 3, signal: null });
  });

  it('leads a group and a session of its own and inherits no open file but its pipes', async () => {
    const { owner } = anOwner();
    await owner.start(shell('cat'));
    // What this process was itself started with may be passed on; nothing that we opened.
    const script = 'echo /proc/self/fd/*; cut -d " " -f 5-6 /proc/$$/stat; echo $$';
    const passedOn = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\n')[0];
    const program = await owner.start(shell(script));
    const pid = String(program.pid);
    expect((await text(program.stdout)).trim().split('\n')).toEqual([
      passedOn,
      `${pid} ${pid}`,
      pid,
    ]);
  });

  it('is asked to end before it is killed', async () => {
    const { owner } = anOwner();
    const program = await owner.start(
      shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done'),
    );
    await untilReady(program);
    expect(await program.stop(10_000)).toEqual({ exitCode: 7, signal: null });
  });

  it('is killed when it does not end in the time it was given', async () => {
    const { owner, runDirectory } = anOwner();
    const program = await owner.start(
      shell('trap "" TERM; echo ready; while :; do sleep 0.01; done'),
    );
    await untilReady(program);
    const [patient, impatient] = [program.stop(60_000), program.stop(50)];
    expect(await impatient).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(await patient).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(await marked(runDirectory)).toEqual([]);
  });

  it('takes everything with it that it started, whether it left the group, its parent or its mark', async () => {
    const { owner, runDirectory } = anOwner();
    const script =
      'sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); env -i setsid sleep 98765 &';
    const program = await owner.start(shell(`${script} echo ready; exec cat`));
    await untilReady(program);
    await expect.poll(async () => (await marked(runDirectory)).length).toBe(4);
    const unmarked = (await listProcesses()).filter((row) => row.parent === program.pid);
    expect(unmarked.some((row) => row.mark === undefined)).toBe(true);
    await program.stop(0);
    const left = (await listProcesses()).filter((row) =>
      unmarked.some(({ pid, startedAt }) => pid === row.pid && startedAt === row.startedAt),
    );
    expect([...left, ...(await marked(runDirectory))]).toEqual([]);
  });

  it('takes everything with it when it ends by itself, as a wrapper does that dies', async () => {
    const { owner, runDirectory } = anOwner();
    const program = await owner.start(
      shell('(trap "" TERM; sleep 1000) & setsid sleep 1000 & echo ready; exit 5'),
    );
    expect(await program.exited).toEqual({ exitCode: 5, signal: null });
    expect(await program.stop(60_000)).toEqual({ exitCode: 5, signal: null });
    expect(await marked(runDirectory)).toEqual([]);
  });

  it('leaves what it wrapped the time to end in order, though the wrapper ends at once', async () => {
    const { owner } = anOwner();
    const file = join(aDirectory(), 'saved');
    const work = `trap 'sleep 0.1; echo done > ${file}; exit' TERM; echo ready; while :; do sleep 0.01; done`;
    const program = await owner.start(shell(`(${work}) & wait`));
    await untilReady(program);
    await program.stop(10_000);
    expect(readFileSync(file, 'utf8')).toBe('done\n');
  });

  it('may close its input without harm to who writes to it', async () => {
    const { owner } = anOwner();
    const program = await owner.start(shell('exec 0<&-; echo ready; sleep 1000'));
    await untilReady(program);
    const failed = new Promise<Error>((resolve) => program.stdin.once('error', resolve));
    program.stdin.write('x'.repeat(1_000_000));
    expect(await failed).toMatchObject({ code: 'EPIPE' });
  });

  it('is measured with everything below it', async () => {
    const { owner } = anOwner();
    const hold = `"${process.execPath}" -e 'console.log("ready"); setInterval(() => {}, 1e6)'`;
    const program = await owner.start(shell(`${hold} & wait`));
    await untilReady(program);
    const used = await owner.measure(program.pid);
    expect(used?.memoryBytes).toBeGreaterThan(30_000_000);
    expect(used?.processes).toBe(2);
    await program.stop(0);
    expect(await owner.measure(program.pid)).toBe(null);
  });
});

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('an owner of programs', () => {
  it('stops everything when it is closed, leaves no file behind and starts nothing more', async () => {
    const { owner, runDirectory } = anOwner();
    const count = 20;
    const programs = await Promise.all(
      Array.from({ length: count }, () => owner.start(shell('setsid sleep 1000 & exec cat'))),
    );
    expect(programs).toHaveLength(count);
    expect((await marked(runDirectory)).length).toBeGreaterThanOrEqual(count);
    const mark = markIn(runDirectory);
    await Promise.all([owner.close(), owner.close()]);
    expect((await listProcesses()).filter((row) => row.mark?.includes(mark))).toEqual([]);
    expect(readdirSync(runDirectory)).toEqual([]);
    await expect(owner.start(shell('true'))).rejects.toThrow(
      'The program "sh" was not started: everything is being stopped. Start Tutti again',
    );
  });

  it('that never started anything is closed without a trace', async () => {
    const { owner, runDirectory } = anOwner();
    await owner.close();
    expect(existsSync(runDirectory)).toBe(false);
    await expect(owner.start(shell('true'))).rejects.toThrow('everything is being stopped');
  });

  it('runs no more programs at once than it may', async () => {
    const { owner } = anOwner(2);
    const [first] = await Promise.all([owner.start(shell('cat')), owner.start(shell('cat'))]);
    const third = owner.start(shell('cat'));
    await expect(third).rejects.toThrow('2 programs run already. Stop some of them');
    await expect(third).rejects.toMatchObject({ retryable: true });
    await first.stop(1_000);
    await (await owner.start(shell('cat'))).stop(1_000);
  });

  it('works without a record where none can be written', async () => {
    const file = join(aDirectory(), 'file');
    writeFileSync(file, '');
    const lines: LoggedLine[] = [];
    const owner = createProcessOwner({ runDirectory: file, log: recordedLog(lines) });
    const program = await owner.start(shell('exit 4'));
    expect(await program.exited).toEqual({ exitCode: 4, signal: null });
    await owner.close();
    expect(lines[0]?.message).toBe('the record of running programs was not written');
  });

  it('replaces its guardian when that dies', async () => {
    const { owner, runDirectory, lines } = anOwner();
    await owner.start(shell('cat'));
    const [guardian = 0] = guardiansOf(markIn(runDirectory));
    process.kill(guardian, 'SIGKILL');
    await expect
      .poll(() => guardiansOf(markIn(runDirectory)).filter((pid) => pid !== guardian))
      .toHaveLength(1);
    expect(lines[0]?.message).toBe('the guardian of the programs ended and is started again');
  });

  it('does not let its guardian be ended by what ends a terminal or a service', async () => {
    const { owner, runDirectory } = anOwner();
    await owner.start(shell('cat'));
    const guardians = guardiansOf(markIn(runDirectory));
    const [guardian = 0] = guardians;
    await expect.poll(() => ignoredSignals(guardian)).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(guardian, signal);
    await (await owner.start(shell('cat'))).stop(0);
    expect(guardiansOf(markIn(runDirectory))).toEqual(guardians);
  });
});

function ignoredSignals(pid: number): string[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mask = Number.parseInt(/^SigIgn:\s*(\w+)$/m.exec(status)?.[1] ?? '0', 16);
  const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
  return Object.entries({ SIGHUP, SIGINT, SIGTERM })
    .filter(([, number]) => (mask & (1 << (number - 1))) !== 0)
    .map(([name]) => name);
}

function guardiansOf(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((name) => readCommand(name).includes(`guardian.sh\0${mark}`))
    .map(Number);
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

// Windows finds programs and reports failures in another way.
describe.skipIf(process.platform === 'win32')('a program that cannot be started', () => {
  const folder = (): string => aDirectory();
  const script = (content: string, mode: number): string => {
    const path = join(folder(), 'script');
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  const cases: readonly [string, () => Partial<ProcessSpec>, string][] = [
    [
      'is not there',
      () => ({ command: 'no-such-program' }),
      'The program "no-such-program" was not started: there is no such program. Install it, or give its full path; programs are looked for in the PATH of its "env"',
    ],
    [
      'has no folder to run in',
      () => ({ cwd: '/no/such/folder' }),
      'The program "sh" was not started: its folder "/no/such/folder" does not exist. Create the folder, or correct "cwd"',
    ],
    [
      'has a file for a folder',
      () => ({ cwd: '/etc/passwd' }),
      'The program "sh" was not started: its folder "/etc/passwd" does not exist',
    ],
    [
      'is not executable',
      () => ({ command: script('#!/bin/sh\n', 0o644) }),
      'it may not be executed. Make the file executable (chmod +x), and its folder accessible',
    ],
    [
      'has an interpreter that is not there',
      () => ({ command: script('#!/no/such/interpreter\n', 0o755) }),
      'the interpreter named in its first line does not exist',
    ],
    ['has an impossible argument', () => ({ args: ['a\0b'] }), 'without null bytes'],
    [
      'has too long an argument',
      () => ({ args: ['x'.repeat(10_000_000)] }),
      'its arguments and environment are too long together',
    ],
  ];

  it.each(cases)('is explained when it %s', async (_case, change, message) => {
    const owner = createProcessOwner({ runDirectory: folder(), log: silentLog });
    onTestFinished(() => owner.close());
    const start = owner.start({ ...shell('true'), ...change() });
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.toMatchObject({ code: 'kernel.process_not_started' });
  });
});
