import { existsSync, statSync } from 'node:fs';
import { win32 } from 'node:path';

/** What is handed to the operating system instead of a command and its arguments. */
export interface NativeCommand {
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
