import { createHash, randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { StartConditions, StartPath } from '../../contract/opening/index.ts';

/** Answers of an earlier process that hold as long as its conditions do. */
export interface KeptAnswers {
  readonly conditions: StartConditions;
  readonly digest: string;
  /** Results as JSON text, by `answerKey`. */
  readonly results: Readonly<Record<string, string>>;
}

/** Files of another format are not read. */
const format = 1;
/** Calls in this many folders, with these many options, are remembered. */
const maxFiles = 50;
const maxResults = 32;
/** Of all results of a call together. */
const maxLength = 8_388_608;

/**
 * What an answer depends on within a connection: how it was opened, and the request. Undefined for params
 * that are nested too deeply to be written down.
 */
export function answerKey(opening: unknown, method: string, params: unknown): string | undefined {
  try {
    return digestOf([opening, method, params]);
  } catch {
    return undefined;
  }
}

/** What is kept for this call; undefined when that is nothing, or does not hold any more. */
export function readKeptAnswers(folder: string, call: Call): KeptAnswers | undefined {
  try {
    const text = readFileSync(fileOf(folder, call), 'utf8');
    // Our own file. Its digest proves that these are its conditions, and results are checked when used.
    const kept = JSON.parse(text) as KeptAnswers & { readonly format: unknown };
    if (kept.format !== format) return undefined;
    return conditionsDigest(kept.conditions, call) === kept.digest ? kept : undefined;
  } catch {
    // Missing or damaged: the system answers instead.
    return undefined;
  }
}

/** Throws what the file system says. A file appears whole or not at all. */
export function writeKeptAnswers(folder: string, call: Call, kept: KeptAnswers): void {
  const text = JSON.stringify({ format, ...kept, results: latest(kept.results) });
  const path = fileOf(folder, call);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
  removeOldest(folder);
}

/** As many as fit, the latest first. */
function latest(results: KeptAnswers['results']): KeptAnswers['results'] {
  let length = 0;
  const fitting: [string, string][] = [];
  for (const [key, result] of Object.entries(results).slice(-maxResults).reverse()) {
    if (length + result.length > maxLength) continue;
    length += result.length;
    fitting.push([key, result]);
  }
  return Object.fromEntries(fitting.reverse());
}

function fileOf(folder: string, { argv, cwd }: Call): string {
  return join(folder, `${digestOf([argv, cwd]).slice(0, 32)}.json`);
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= maxFiles) return;
  const byAge = names
    .map((name) => ({ path: join(folder, name), age: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.age - a.age);
  for (const { path } of byAge.slice(maxFiles)) rmSync(path, { force: true });
}

/** The program as it was called. */
export interface Call {
  /** Files of this program that differ in every other build or version of it. */
  readonly program: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A larger file, or a folder of more files, is not looked through at every start. */
const maxFileBytes = 1_048_576;
const maxFolderFiles = 1_000;

/**
 * Differs whenever something differs that the first answers depend on; undefined where that cannot be
 * told. Values of variables and contents of files go into it and nowhere else: some are secrets.
 */
export function conditionsDigest(conditions: StartConditions, call: Call): string | undefined {
  const { program, argv, cwd, env } = call;
  const found: (string | null)[] = [];
  const ofProgram = program.map((path): StartPath => ({ path, look: 'content' }));
  for (const path of [...ofProgram, ...conditions.paths]) {
    const finding = findingOf(path);
    if (finding === undefined) return undefined;
    found.push(finding);
  }
  const values = conditions.variables.map((name) => [name, env[name] ?? null]);
  return digestOf([process.version, program, argv, cwd, conditions, values, found]);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Null where there is nothing; undefined where it cannot be told. */
function findingOf({ path, look }: StartPath): string | null | undefined {
  try {
    if (look === 'presence') return String(lstatSync(path).isDirectory());
    if (look === 'listing') return listingOf(path);
    const found = statSync(path);
    // A pipe would be waited at.
    if (!found.isFile() || found.size > maxFileBytes) return undefined;
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isMissing ? null : undefined;
  }
}

/** Each file below with its age and size. */
function listingOf(folder: string): string | undefined {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  if (names.length > maxFolderFiles) return undefined;
  const looks = names.sort().map((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return [name, mtimeMs, size];
  });
  return JSON.stringify(looks);
}

/** The lists a client asks for at the beginning. Asking for one changes nothing. */
export const firstLists: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
];

/** The line that answers a request with a result, which is JSON text. */
export function resultLine(id: string | number, result: string): string {
  return `${head(id)}${result}}`;
}

/** The result in such a line; undefined when the line is something else. */
export function resultOf(id: string | number, line: string | undefined): string | undefined {
  return line?.startsWith(head(id)) === true ? line.slice(head(id).length, -1) : undefined;
}

function head(id: string | number): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
}
