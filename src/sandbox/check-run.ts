import { realpath, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { SandboxLimits, SandboxMount, SandboxRun } from '../contract/sandbox/index.ts';
import { liesInside } from '../kernel/index.ts';
import { workFolder } from './boot/boot.ts';
import { InvalidRunError } from './errors.ts';
import { settleLimits } from './limits.ts';

/** What one run may consist of. */
const maxFiles = 20_000;
const maxJobBytes = 256 * 1024 * 1024;
const maxStdinBytes = 64 * 1024 * 1024;
const maxPathBytes = 1024;
const maxNameBytes = 255;
const maxArguments = 4096;
/** The kernel takes no longer argument or variable. */
const maxArgumentBytes = 128 * 1024 - 1;
const maxVariables = 512;
const maxMounts = 64;
const maxCollectedFiles = 20_000;
const maxCollectedBytes = 256 * 1024 * 1024;

/** After a colon, the modules it must have: `python:pytest,coverage`. */
const toolchainName =
  /^[a-z][a-z0-9-]{0,31}(?::[a-z_][a-z0-9_]{0,31}(?:,[a-z_][a-z0-9_]{0,31}){0,7})?$/;
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** Folders of the host that hold what no program should see, even read-only. */
const forbiddenSources = ['/proc', '/sys', '/dev', '/run', '/var/run', '/etc', '/boot'];
/** In the home folder. */
const secretPlaces = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.local/share/keyrings',
];
/** Where mounts may appear inside. */
const targetFolders = [`${workFolder}/`, '/mnt/', '/opt/'];
/** Also where the host has it, for what knows its own path, as a virtual environment does; never over the system inside. */
const systemTargets = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  workFolder,
  ...forbiddenSources,
];

export interface RunBounds {
  readonly homeDirectory: string;
  readonly ceilings: SandboxLimits;
}

/**
 * The run as it may be done: the same, with links in the sources of mounts resolved. Throws
 * `sandbox.invalid_run` that names the first thing that is not allowed.
 */
export async function checkRun(
  run: SandboxRun,
  { homeDirectory, ceilings }: RunBounds,
): Promise<SandboxRun> {
  if (!toolchainName.test(run.toolchain)) refuse(`"${run.toolchain}" is no name of a toolchain`);
  settleLimits(run.limits, { ceilings });
  checkProgram(run);
  checkFiles(run);
  checkVariables(run);
  checkCollect(run);
  if (byteLength(run.stdin) > maxStdinBytes)
    refuse(
      `its standard input has ${byteLength(run.stdin)} bytes, and ${maxStdinBytes} are allowed`,
    );
  const mounts = await checkMounts(run, homeDirectory);
  return { ...run, mounts };
}

function checkProgram({ program }: SandboxRun): void {
  if (program.kind === 'command') {
    if (program.argv.length === 0 || program.argv[0] === '') refuse('its command is empty');
    checkArguments(program.argv);
    return;
  }
  checkPath(program.main, 'the program');
  checkArguments(program.args);
}

function checkArguments(args: readonly string[]): void {
  if (args.length > maxArguments)
    refuse(`it has ${args.length} arguments, and ${maxArguments} are allowed`);
  for (const [index, argument] of args.entries()) {
    if (argument.includes('\0')) refuse(`argument ${index} has a NUL character`);
    if (Buffer.byteLength(argument) > maxArgumentBytes)
      refuse(`argument ${index} has more than ${maxArgumentBytes} bytes`);
  }
}

function checkFiles({ files, limits }: SandboxRun): void {
  const paths = Object.keys(files);
  if (paths.length > maxFiles) refuse(`it has ${paths.length} files, and ${maxFiles} are allowed`);
  let bytes = 0;
  for (const path of paths) {
    checkPath(path, 'a file');
    bytes += byteLength(files[path] ?? '');
    for (const folder of foldersOf(path))
      if (Object.hasOwn(files, folder)) refuse(`"${folder}" is a file and the folder of "${path}"`);
  }
  const allowed = Math.min(maxJobBytes, limits.diskBytes);
  if (bytes > allowed)
    refuse(
      `its files have ${bytes} bytes, and ${allowed} are allowed${allowed < maxJobBytes ? ' by the limit diskBytes' : ''}`,
      { bytes, allowed },
    );
}

function checkVariables({ env }: SandboxRun): void {
  const variables = Object.entries(env);
  if (variables.length > maxVariables)
    refuse(`it has ${variables.length} variables, and ${maxVariables} are allowed`);
  for (const [name, value] of variables) {
    if (!variableName.test(name)) refuse(`"${printable(name)}" is no name of a variable`);
    if (value.includes('\0')) refuse(`the variable ${name} has a NUL character`);
    if (Buffer.byteLength(value) + name.length >= maxArgumentBytes)
      refuse(`the variable ${name} has more than ${maxArgumentBytes} bytes`);
  }
}

function checkCollect({ collect }: SandboxRun): void {
  if (!collect) return;
  if (collect.paths.length > maxFiles)
    refuse(`it collects ${collect.paths.length} paths, and ${maxFiles} are allowed`);
  for (const path of collect.paths) checkPath(path, 'a path to collect');
  checkCount('collect.maxFiles', collect.maxFiles, maxCollectedFiles);
  checkCount('collect.maxBytes', collect.maxBytes, maxCollectedBytes);
}

function checkCount(name: string, wanted: number, ceiling: number): void {
  if (Number.isSafeInteger(wanted) && wanted >= 0 && wanted <= ceiling) return;
  refuse(`${name} is ${wanted}, and it must be 0 to ${ceiling}`);
}

/** Relative, in its shortest form, and never upwards. */
function checkPath(path: string, what: string): void {
  const shown = `${what} is called "${printable(path)}"`;
  if (path === '') refuse(`${what} has an empty path`);
  if (controlCharacter.test(path)) refuse(`${shown}, and control characters are not allowed`);
  if (path.startsWith('/')) refuse(`${shown}, and paths must be relative to the work folder`);
  if (Buffer.byteLength(path) > maxPathBytes) refuse(`${shown}, and that is too long`);
  for (const name of path.split('/')) {
    if (name === '..') refuse(`${shown}, and ".." is not allowed`);
    if (name === '' || name === '.') refuse(`${shown}, and empty names and "." are not allowed`);
    if (Buffer.byteLength(name) > maxNameBytes) refuse(`${shown}, and that is too long`);
  }
}

async function checkMounts(run: SandboxRun, homeDirectory: string): Promise<SandboxMount[]> {
  if (run.mounts.length > maxMounts)
    refuse(`it has ${run.mounts.length} mounts, and ${maxMounts} are allowed`);
  if (run.mounts.length === 0) return [];
  for (const mount of run.mounts) checkTarget(mount, run);
  const home = await resolved(homeDirectory);
  return Promise.all(
    run.mounts.map(async ({ source, target }) => ({
      source: await checkSource(source, [homeDirectory, ...(home === null ? [] : [home])]),
      target,
    })),
  );
}

function checkTarget({ source, target }: SandboxMount, run: SandboxRun): void {
  const shown = `a mount appears at "${printable(target)}"`;
  if (controlCharacter.test(target) || normalize(target) !== target || target.endsWith('/'))
    refuse(`${shown}, and that is no plain absolute path`);
  const isOwnPath = source === target && !systemTargets.some((path) => overlaps(path, target));
  if (!isOwnPath && !targetFolders.some((folder) => target.startsWith(folder)))
    refuse(
      `${shown}, and it must be below ${targetFolders.join(', ')}, or at the source's own path`,
    );
  for (const other of run.mounts)
    if (other.target !== target && liesInside(target, other.target))
      refuse(`${shown}, and "${other.target}" would be inside of it`);
  if (run.mounts.filter((other) => other.target === target).length > 1) refuse(`${shown} twice`);
  for (const path of Object.keys(run.files)) {
    const place = join(workFolder, path);
    if (liesInside(target, place) || liesInside(place, target))
      refuse(`${shown}, which hides the file "${path}"`);
  }
}

function overlaps(one: string, other: string): boolean {
  return liesInside(one, other) || liesInside(other, one);
}

async function checkSource(source: string, homes: readonly string[]): Promise<string> {
  const shown = `the mount of "${printable(source)}"`;
  if (!source.startsWith('/') || controlCharacter.test(source))
    refuse(`${shown} is no absolute path`);
  const real = await resolved(source);
  if (real === null) refuse(`${shown} is not possible: there is no such file or folder`);
  for (const home of homes) {
    if (liesInside(real, home)) refuse(`${shown} is not allowed: it holds the whole home folder`);
    for (const secret of secretPlaces) {
      const place = join(home, secret);
      if (overlaps(place, real)) refuse(`${shown} is not allowed: it holds secrets (${place})`);
    }
  }
  for (const folder of forbiddenSources)
    if (overlaps(folder, real)) refuse(`${shown} is not allowed: it shows ${folder} of the host`);
  const found = await stat(real);
  if (!found.isFile() && !found.isDirectory())
    refuse(`${shown} is not allowed: it is neither a file nor a folder`);
  return real;
}

async function resolved(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function byteLength(content: string | Uint8Array): number {
  return typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
}

function printable(text: string): string {
  return text.slice(0, 200).replaceAll(/[\u0000-\u001f\u007f]/g, '?');
}

function refuse(problem: string, details: Readonly<Record<string, unknown>> = {}): never {
  throw new InvalidRunError(problem, details);
}
