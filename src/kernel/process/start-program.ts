import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { win32 } from 'node:path';
import { lookupTable } from '../json.ts';
import { ProcessNotStartedError, type ProcessSpec, type StartFailure } from './owned-process.ts';

/** Input, output, errors. */
export const standardPipes = 3;

/** A program that runs, or ran until a moment ago. */
export interface StartedProgram {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
}

/**
 * Starts a program as the leader of a process group and a session of its own, with the pipes it asks for.
 * `onStarted` is called in the same turn, before anything else can happen to it or to us.
 * Throws `kernel.process_not_started`; nothing runs then.
 */
export async function startProgram<Result>(
  spec: ProcessSpec,
  onStarted: (started: StartedProgram) => Result,
): Promise<Result> {
  try {
    const child = spawnProgram(spec);
    // A pid means that the program was executed; without one the reason follows as an event.
    if (child.pid !== undefined) {
      // All three were asked for as pipes, and a program that runs has them.
      return onStarted({ pid: child.pid, child: child as ChildProcessWithoutNullStreams });
    }
    const failure: unknown[] = await once(child, 'error');
    throw failure[0];
  } catch (error) {
    throw new ProcessNotStartedError(spec.command, describeFailure(spec, error));
  }
}

function spawnProgram(spec: ProcessSpec): ChildProcess {
  const isWindows = process.platform === 'win32';
  const native: NativeCommand = isWindows
    ? windowsCommand(spec.command, spec.args, spec.env)
    : { command: spec.command, args: spec.args, isVerbatim: false };
  const child = spawn(native.command, native.args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: Array.from({ length: standardPipes + (spec.extraPipes ?? 0) }, () => 'pipe' as const),
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: native.isVerbatim,
  });
  // A pipe whose other end is gone, and a program that cannot be signalled, are reported by its exit.
  for (const part of [child, ...child.stdio]) part?.on('error', () => {});
  return child;
}

/** Failures that say all by their code. */
const knownFailures: Readonly<Record<string, StartFailure>> = lookupTable({
  EAGAIN: {
    reason: 'the system allows no more processes',
    remedy: 'End programs that are not needed, or raise the limit (ulimit -u)',
    isTemporary: true,
  },
  EMFILE: {
    reason: 'this process has as many files open as it may',
    remedy: 'Run fewer servers at once, or raise the limit (ulimit -n)',
    isTemporary: true,
  },
  ENFILE: {
    reason: 'the system has as many files open as it can',
    remedy: 'End programs that are not needed',
    isTemporary: true,
  },
  ENOMEM: {
    reason: 'the system has no memory left',
    remedy: 'End programs that are not needed',
    isTemporary: true,
  },
  E2BIG: {
    reason: 'its arguments and environment are too long together',
    remedy: 'Shorten "args" or "env", or pass the data in a file',
    isTemporary: false,
  },
  ENOEXEC: {
    reason: 'the file is no program of this system',
    remedy:
      'Give a script a first line such as "#!/bin/sh", or name its interpreter as the command',
    isTemporary: false,
  },
  EACCES: {
    reason: 'it may not be executed',
    remedy: 'Make the file executable (chmod +x), and its folder accessible',
    isTemporary: false,
  },
});

function describeFailure({ command, cwd }: ProcessSpec, cause: unknown): StartFailure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (cwd !== undefined && !isFolder(cwd)) {
    return {
      reason: `its folder "${cwd}" does not exist`,
      remedy: 'Create the folder, or correct "cwd"',
      isTemporary: false,
      cause,
    };
  }
  const known = knownFailures[code];
  if (known) return { ...known, cause };
  if (code === 'ENOENT') return { ...describeMissing(command), cause };
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { reason, remedy: 'Correct the command', isTemporary: false, cause };
}

function describeMissing(command: string): StartFailure {
  if (/[\\/]/.test(command) && existsSync(command)) {
    return {
      reason: 'the interpreter named in its first line does not exist',
      remedy: 'Install the interpreter, or correct that line',
      isTemporary: false,
    };
  }
  return {
    reason: 'there is no such program',
    remedy: 'Install it, or give its full path; programs are looked for in the PATH of its "env"',
    isTemporary: false,
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What is handed to the operating system instead of a command and its arguments. */
interface NativeCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are quoted already and must not be touched. */
  readonly isVerbatim: boolean;
}

/**
 * Windows starts `.exe` files only: `npx` is a batch file that the command interpreter must run, with
 * every argument quoted for it, so that none of them can become a command of its own.
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): NativeCommand {
  const file = findOnPath(command, env);
  if (file === undefined || !/\.(cmd|bat)$/i.test(file))
    return { command, args, isVerbatim: false };
  const line = [escapeMeta(win32.normalize(command)), ...args.map(quoteForBatch)].join(' ');
  const interpreter = variable(env, 'COMSPEC') ?? 'cmd.exe';
  return { command: interpreter, args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true };
}

function findOnPath(command: string, env: Readonly<Record<string, string>>): string | undefined {
  const endings = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const names = [...endings.map((ending) => command + ending), command];
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [''] : (variable(env, 'PATH') ?? '').split(';');
  return folders
    .flatMap((folder) => names.map((name) => (folder === '' ? name : `${folder}/${name}`)))
    .find((path) => existsSync(path) && statSync(path).isFile());
}

/** Names of variables have no case there. */
function variable(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** Quoted for the program, then escaped twice: a batch file reads its arguments a second time. */
function quoteForBatch(argument: string): string {
  const quoted = `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return escapeMeta(escapeMeta(quoted));
}

function escapeMeta(text: string): string {
  return text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
