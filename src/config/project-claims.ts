import { createHash, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { pluralize } from '../kernel/index.ts';
import type { Assignment, DefinedServer, ProjectClaims } from './settings.ts';
import { pathsOf, resolvePath, type Surroundings } from './locate.ts';
import { isBelow } from './project-limits.ts';
import { readBytes } from './locked-file.ts';

/** Of a larger file the size and the time of its last change stand for the rest. */
const maxFileBytes = 16_777_216;
/** Entries with more words than this ask for trust every time. */
const maxWords = 2_000;

/** What interpreters and package runners make of a name: `node server`, `python -m server`, `node .`. */
const fileForms =
  ' .js .mjs .cjs .ts .py .sh /package.json /index.js /__main__.py /__init__.py'.split(' ');

/** Everything a project's file asks for that counts only once the user trusts it. */
export async function claimsOf(
  file: string,
  assignments: readonly Assignment[],
  { servers, around }: { servers: readonly DefinedServer[]; around: Surroundings },
): Promise<ProjectClaims> {
  const own = servers.filter(({ source }) => source.kind === 'project');
  const settings = assignments.filter(isHeldBack).map(({ setting, value }) => ({
    key: setting.key,
    value,
  }));
  const { files, isComplete } = await digestNamedFiles(file, own, around);
  const section = own
    .map(({ name, fingerprint }) => [name, fingerprint])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // As it was when only servers needed trust, so that what was trusted then still is.
  const more = settings.length + files.size === 0 ? [] : [settings, [...files]];
  const digest = createHash('sha256')
    .update(JSON.stringify([file, section, ...more, ...(isComplete ? [] : [randomUUID()])]))
    .digest('hex');
  return { file, digest, settings, files: [...files.keys()].sort() };
}

/** Whether a project's file sets it and it needs trust. Servers are listed, and do not start (`chooseServers`). */
export function isHeldBack({ setting, source }: Assignment): boolean {
  return (
    source.kind === 'project' && setting.traits.needsTrust === true && setting.key !== 'mcpServers'
  );
}

export function warnOfUntrusted({ file, settings }: ProjectClaims): string[] {
  if (settings.length === 0) return [];
  const keys = settings.map(({ key }) => key).join(', ');
  return [
    `${pluralize(settings.length, 'setting')} of ${file} not used before "tutti trust": ${keys}`,
  ];
}

/**
 * The programs of the project that commands, arguments and variables of its servers name, with what is in them.
 * What a server is given to read and write, a database for example, is no program and may change.
 */
async function digestNamedFiles(
  projectFile: string,
  servers: readonly DefinedServer[],
  around: Surroundings,
): Promise<{ files: ReadonlyMap<string, string>; isComplete: boolean }> {
  const folder = pathsOf(around).dirname(projectFile);
  const named = new Map<string, boolean>();
  for (const { settings } of servers) {
    const { command = '', args, env, cwd = folder } = settings;
    // An interpreter runs the first of these, whatever it is called.
    const run = [command, args.find((arg) => !arg.startsWith('-')) ?? ''];
    const given = [...args, ...Object.values(env).map((value) => value.reveal())];
    const words = given.flatMap((text) => [text, ...text.split(/[\s"'`=:;,|&<>()]+/)]);
    for (const word of new Set([...words, ...run])) {
      const path = resolvePath(around, resolvePath(around, folder, cwd), word);
      if (word === '' || word.includes('\0') || !isBelow(around, folder, path)) continue;
      named.set(path, run.includes(word) || named.get(path) === true);
    }
  }
  const files = new Map<string, string>();
  for (const [path, isRun] of [...named].slice(0, maxWords)) {
    for (const form of fileForms) {
      const digest = await digestProgram(path + form, isRun || form !== '');
      if (digest !== undefined) files.set(path + form, digest);
    }
  }
  return { files, isComplete: named.size <= maxWords };
}

const programName =
  /\.(?:[cm]?[jt]s|[jt]sx|py[cwz]?|sh|bash|zsh|fish|rb|p[lm]|php|lua|jar|ps1|bat|cmd|exe|so|dylib|dll|node|wasm)$/i;
const anyExecutes = 0o111;
const scriptMark = '#!';

async function digestProgram(path: string, isRun: boolean): Promise<string | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    const bytes = (await readBytes(path, Math.min(info.size, maxFileBytes))) ?? new Uint8Array();
    const isProgram = isRun || programName.test(path) || (info.mode & anyExecutes) !== 0;
    const begins = Buffer.from(bytes.subarray(0, scriptMark.length)).toString('latin1');
    if (!isProgram && begins !== scriptMark) return undefined;
    const rest = info.size > maxFileBytes ? `${info.size} ${info.mtimeMs}` : '';
    return createHash('sha256').update(bytes).update(rest).digest('hex');
  } catch (error) {
    const { code } = Object(error);
    // One that is there and cannot be read may become readable, with anything in it.
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) ? undefined : String(code);
  }
}
