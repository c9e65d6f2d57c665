import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
} from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type {
  CollectedFile,
  CollectRequest,
  SandboxObservation,
} from '../../contract/sandbox/index.ts';
import type { SandboxJob } from '../driver.ts';

export interface Collected {
  readonly files: readonly CollectedFile[];
  readonly observations: readonly SandboxObservation[];
}

/** Folders in folders; each level holds a file descriptor while it is walked. */
const maxDepth = 64;
/** Names that are looked at, whatever they are: a program may have made millions. */
const maxEntries = 50_000;
/** How many names are looked at, or bytes read, before others get a turn. */
const entriesPerTurn = 500;
const bytesPerTurn = 8 * 1024 * 1024;

/**
 * Brings back regular files below a folder that an untrusted program has filled.
 *
 * 1. Each step opens one name in a folder that is open already, and never through a link: so nothing
 *    outside the folder can be reached, even while it is being changed.
 * 2. Names, depth, files and bytes are bounded; a file counts by its size, holes included.
 * 3. What is left out is reported.
 */
export async function collectFiles(root: number, request: CollectRequest): Promise<Collected> {
  const walk = new Walk(request);
  const paths = request.paths.length === 0 ? [''] : request.paths;
  for (const path of paths) await walk.collect(root, path);
  return { files: walk.files, observations: walk.refusals.observations() };
}

/** The observations about a work folder, and the files that its job asked for. */
export async function collectWritten(
  folder: number,
  { collect, files }: Pick<SandboxJob, 'collect' | 'files'>,
): Promise<Collected> {
  const written = listWritten(folder, new Set(Object.keys(files)));
  if (collect === null) return { files: [], observations: written };
  const collected = await collectFiles(folder, collect);
  return { ...collected, observations: [...written, ...collected.observations] };
}

class Walk {
  readonly files: CollectedFile[] = [];
  readonly refusals = new Refusals();
  readonly #request: CollectRequest;
  readonly #seen = new Set<string>();
  #bytes = 0;
  #entries = 0;
  #bytesSinceTurn = 0;

  constructor(request: CollectRequest) {
    this.#request = request;
  }

  async collect(root: number, path: string): Promise<void> {
    const steps = path.split('/').filter((step) => step !== '' && step !== '.');
    if (steps.includes('..')) return this.refusals.add(path, 'it leaves the work folder');
    if (steps.length > maxDepth) return this.refusals.add(path, 'it is too deep');
    const opened: OpenFolder[] = [];
    let folder: OpenFolder = { fd: root, path: '' };
    try {
      for (const step of steps.slice(0, -1)) {
        const next = openFolder(folder, step);
        if (!next) return this.refusals.add(path, 'there is no such file');
        opened.push(next);
        folder = next;
      }
      const last = steps.at(-1);
      if (last === undefined) await this.#walkFolder(folder, 0);
      else await this.#take(folder, { name: last, kind: 'unknown' }, steps.length);
    } finally {
      for (const { fd } of opened) closeSync(fd);
    }
  }

  async #walkFolder(folder: OpenFolder, depth: number): Promise<void> {
    const entries = readNames(folder, () => this.#mayLook());
    if (!entries) return this.refusals.add(folder.path || '.', 'it could not be opened');
    for (const entry of entries) {
      if (this.#entries % entriesPerTurn === 0) await setImmediate();
      await this.#take(folder, entry, depth + 1);
    }
  }

  #mayLook(): boolean {
    this.#entries += 1;
    if (this.#entries <= maxEntries) return true;
    if (this.#entries === maxEntries + 1) {
      this.refusals.add('.', `only the first ${maxEntries} names were looked at`);
    }
    return false;
  }

  async #take(folder: OpenFolder, entry: Entry, depth: number): Promise<void> {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    if (entry.name.includes('\uFFFD')) return this.refusals.add(path, 'its name is not UTF-8');
    if (entry.kind === 'other') return this.refusals.add(path, 'it is no regular file');
    if (entry.kind !== 'file') {
      const inner = openFolder(folder, entry.name);
      if (inner) return await this.#descend(inner, depth);
      if (entry.kind === 'folder') return this.refusals.add(path, 'it could not be opened');
    }
    await this.#takeFile(folder, entry.name, path);
  }

  async #descend(folder: OpenFolder, depth: number): Promise<void> {
    try {
      if (depth > maxDepth)
        this.refusals.add(folder.path, `it lies deeper than ${maxDepth} folders`);
      else await this.#walkFolder(folder, depth);
    } finally {
      closeSync(folder.fd);
    }
  }

  async #takeFile(folder: OpenFolder, name: string, path: string): Promise<void> {
    if (this.#seen.has(path)) return;
    const file = openFile(folder, name);
    if (typeof file === 'string') return this.refusals.add(path, file);
    try {
      const { size, mode } = fstatSync(file.fd);
      if (this.files.length >= this.#request.maxFiles) {
        return this.refusals.add(path, `${this.#request.maxFiles} files were collected already`);
      }
      if (size > this.#request.maxBytes - this.#bytes) {
        const limit = `${this.#request.maxBytes} bytes of all files together`;
        return this.refusals.add(path, `its ${size} bytes would exceed ${limit}`);
      }
      const bytes = readAll(file.fd, size);
      this.#seen.add(path);
      this.#bytes += bytes.length;
      this.#bytesSinceTurn += bytes.length;
      this.files.push({ path, bytes, isExecutable: (mode & 0o111) !== 0 });
    } finally {
      closeSync(file.fd);
    }
    if (this.#bytesSinceTurn < bytesPerTurn) return;
    this.#bytesSinceTurn = 0;
    await setImmediate();
  }
}

/** Opening a pipe without a writer would block forever without O_NONBLOCK. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openFile(folder: OpenFolder, name: string): { readonly fd: number } | string {
  let fd: number;
  try {
    fd = openSync(`/proc/self/fd/${folder.fd}/${name}`, fileFlags);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT') return 'there is no such file';
    return code === 'ELOOP' || code === 'ENXIO'
      ? 'it is no regular file'
      : 'it could not be opened';
  }
  if (fstatSync(fd).isFile()) return { fd };
  closeSync(fd);
  return 'it is no regular file';
}

/** Exactly what it had when it was measured, less if it shrank since. */
function readAll(fd: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(size);
  let used = 0;
  while (used < size) {
    const count = readSync(fd, bytes, used, size - used, used);
    if (count === 0) break;
    used += count;
  }
  return bytes.subarray(0, used);
}

const maxSurveyedEntries = 2_000;
const maxSurveyedDepth = 16;
const maxNamed = 20;
const maxNameCharacters = 100;

/**
 * What a program left in its folder besides the files it was given: how many, and the first by name.
 * Nothing when there is none.
 */
export function listWritten(root: number, given: ReadonlySet<string>): SandboxObservation[] {
  const survey: Survey = { given, names: [], count: 0, bytes: 0, entries: 0 };
  look(survey, { fd: root, path: '' }, 0);
  if (survey.count === 0) return [];
  const isAll = survey.entries <= maxSurveyedEntries;
  const more = survey.count > survey.names.length ? ' …' : '';
  const message = `${isAll ? '' : 'at least '}${survey.count} files of ${survey.bytes} bytes were left: ${survey.names.join(', ')}${more}`;
  return [{ kind: 'files_written', message }];
}

interface Survey {
  readonly given: ReadonlySet<string>;
  readonly names: string[];
  count: number;
  bytes: number;
  entries: number;
}

function look(survey: Survey, folder: OpenFolder, depth: number): void {
  const mayLook = (): boolean => {
    survey.entries += 1;
    return survey.entries <= maxSurveyedEntries;
  };
  for (const { name, kind } of readNames(folder, mayLook) ?? []) {
    if (kind === 'file') count(survey, folder, name);
    const inner =
      kind === 'folder' && depth < maxSurveyedDepth ? openFolder(folder, name) : undefined;
    if (!inner) continue;
    try {
      look(survey, inner, depth + 1);
    } finally {
      closeSync(inner.fd);
    }
  }
}

function count(survey: Survey, folder: OpenFolder, name: string): void {
  const path = folder.path === '' ? name : `${folder.path}/${name}`;
  if (survey.given.has(path)) return;
  const stat = lstatSync(`/proc/self/fd/${folder.fd}/${name}`, { throwIfNoEntry: false });
  survey.count += 1;
  survey.bytes += stat?.size ?? 0;
  if (survey.names.length < maxNamed) survey.names.push(printable(path.slice(-maxNameCharacters)));
}

/** A folder that is open, and its path below the folder where the walk began. */
interface OpenFolder {
  readonly fd: number;
  readonly path: string;
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other' | 'unknown';
}

/** Names read at a time. */
const namesPerRead = 256;

const folderFlags =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A folder in a folder; undefined when the name is something else, a link included. */
function openFolder(parent: OpenFolder, name: string): OpenFolder | undefined {
  try {
    const fd = openSync(`/proc/self/fd/${parent.fd}/${name}`, folderFlags);
    return { fd, path: parent.path === '' ? name : `${parent.path}/${name}` };
  } catch {
    return undefined;
  }
}

/**
 * The names in a folder, as long as `mayLook` says yes before each; undefined when the program that filled it has
 * closed it to us.
 */
function readNames(folder: OpenFolder, mayLook: () => boolean): Iterable<Entry> | undefined {
  try {
    const path = `/proc/self/fd/${folder.fd}/.`;
    return entriesOf(opendirSync(path, { bufferSize: namesPerRead }), mayLook);
  } catch {
    return undefined;
  }
}

function* entriesOf(listing: Dir, mayLook: () => boolean): Generator<Entry> {
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (!mayLook()) return;
      if (entry.isFile()) yield { name: entry.name, kind: 'file' };
      else yield { name: entry.name, kind: entry.isDirectory() ? 'folder' : 'other' };
    }
  } finally {
    listing.closeSync();
  }
}

/** Told one by one; the rest as a number. */
const maxTold = 20;
const maxPathCharacters = 200;

/** The files that were not brought back, and why. */
export class Refusals {
  readonly #told: string[] = [];
  #untold = 0;

  add(path: string, reason: string): void {
    if (this.#told.length >= maxTold) this.#untold += 1;
    else this.#told.push(`"${printable(shorten(path))}" was not collected: ${reason}`);
  }

  observations(): SandboxObservation[] {
    const rest = this.#untold === 0 ? [] : [`${this.#untold} more files were not collected`];
    return [...this.#told, ...rest].map((message) => ({ kind: 'file_not_collected', message }));
  }
}

function shorten(path: string): string {
  return path.length <= maxPathCharacters ? path : `…${path.slice(-maxPathCharacters)}`;
}

/** Makes a name from an untrusted program safe to print: no line breaks, no colours. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu, '\uFFFD');
}
