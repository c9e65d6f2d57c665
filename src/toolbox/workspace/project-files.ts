import { constants, realpathSync, type BigIntStats } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { liesInside } from '../../kernel/index.ts';
import { codeOf, NotAFolderError, openFolder, type OpenFolder } from '../files/open-folder.ts';
import { walkFiles, type WalkedFile } from '../files/walk-files.ts';
import { NoSuchFileError, PathRefusedError, TooLargeError } from './errors.ts';

export interface ProjectOptions {
  readonly roots: readonly string[];
  /** Folders that hold Tutti's own data; refused even inside a root. */
  readonly ownFolders: readonly string[];
  readonly maxFileBytes?: number;
}

/** A path inside a root that the workspace may touch. */
export interface ProjectPath {
  readonly root: string;
  /** Components below the root. */
  readonly names: readonly string[];
  /** Relative to its root; absolute where that would mean a file of an earlier root. */
  readonly shown: string;
}

export interface FileContent {
  readonly bytes: Buffer;
  readonly info: BigIntStats;
}

/** A path in the arguments of a tool. */
export const pathField = z.string().min(1).max(4096);

export const defaultMaxFileBytes = 10 * 1024 * 1024;

/**
 * The files of the user's project. Every access stays inside the roots, follows no symbolic link in any
 * component and leaves out `.git`, `.tutti`, `tutti.yaml` and Tutti's data directory, however their names
 * are spelled.
 */
export class ProjectFiles {
  readonly #roots: readonly string[];
  readonly #ownFolders: readonly string[];
  readonly maxFileBytes: number;

  constructor({ roots, ownFolders, maxFileBytes = defaultMaxFileBytes }: ProjectOptions) {
    this.#roots = roots.map((root) => resolve(root));
    // A root inside the data directory is the user's explicit choice.
    this.#ownFolders = ownFolders
      .map(realOrGiven)
      .filter((folder) => !this.#roots.some((root) => liesInside(folder, realOrGiven(root))));
    this.maxFileBytes = maxFileBytes;
  }

  get firstRoot(): string {
    return this.#roots[0] ?? process.cwd();
  }

  /** Finds the root a path belongs to. Of several, the first in which it exists; else the first. */
  async locate(given: string): Promise<ProjectPath> {
    if (/[\0-\u001f]/.test(given)) throw new PathRefusedError(given, 'it has control characters');
    if (given.split(/[/\\]/).includes('..')) {
      throw new PathRefusedError(given, '".." is not allowed; name the file from the root');
    }
    const candidates = await this.#candidates(given);
    const [first] = candidates;
    if (!first) {
      const roots = this.#roots.join(', ');
      throw new PathRefusedError(given, `it is outside the allowed roots (${roots})`);
    }
    let chosen = first;
    for (const each of candidates.length > 1 ? candidates : []) {
      if (await exists(join(each.root, ...each.names))) {
        chosen = each;
        break;
      }
    }
    this.#refuseOwn(given, chosen);
    return chosen;
  }

  /** Opens the folder that holds a file. Undefined when there is none and it is not to be created. */
  async openParent(
    path: ProjectPath,
    options: { readonly create?: boolean } = {},
  ): Promise<OpenFolder | undefined> {
    return this.#open(path, path.names.slice(0, -1), options);
  }

  /**
   * The bytes of a regular file, undefined when it does not exist. Refuses links, folders, pipes, devices
   * and sockets without opening them, and what is too large without reading it.
   */
  async read(path: ProjectPath, maxBytes = this.maxFileBytes): Promise<FileContent | undefined> {
    if (path.names.length === 0) throw new PathRefusedError(path.shown, 'it is a folder');
    const parent = await this.openParent(path);
    if (!parent) return undefined;
    try {
      return await this.readIn(parent, path, maxBytes);
    } finally {
      await parent.close();
    }
  }

  async readIn(
    parent: OpenFolder,
    path: ProjectPath,
    maxBytes = this.maxFileBytes,
  ): Promise<FileContent | undefined> {
    const at = parent.at(path.names.at(-1) ?? '');
    const named = await statEntry(at, path.shown);
    if (!named) return undefined;
    if (named.size > maxBytes) throw tooLarge(path.shown, named.size, maxBytes);
    const handle = await open(at, readFlags).catch((error: unknown) => {
      throw new PathRefusedError(path.shown, `it could not be opened (${codeOf(error)})`);
    });
    try {
      const info = await handle.stat({ bigint: true });
      if (!info.isFile() || info.ino !== named.ino || info.dev !== named.dev) {
        throw new PathRefusedError(path.shown, 'it was replaced while it was read');
      }
      const bytes = Buffer.alloc(Number(info.size) + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got) {
        got = (await handle.read(bytes, length, bytes.length - length)).bytesRead;
      }
      if (length > Number(info.size)) {
        throw new PathRefusedError(path.shown, 'it grew while it was read');
      }
      return { bytes: bytes.subarray(0, length), info };
    } finally {
      await handle.close();
    }
  }

  /** The files below a folder, or the file itself, without what `.gitignore` files exclude. */
  async *walk(given: string, signal: AbortSignal): AsyncGenerator<ProjectPath & WalkedFile> {
    const start = await this.locate(given);
    const folder = join(start.root, ...start.names);
    const info = await this.#entry(start);
    if (!info) throw new NoSuchFileError(given);
    if (!info.isDirectory()) {
      const kind = info.isFile() ? 'file' : 'other';
      yield { ...start, path: start.shown, kind };
      return;
    }
    const skip = (path: string): boolean => this.#isOwn(start.root, [...start.names, path]);
    for await (const found of walkFiles(folder, { signal, skip })) {
      const names = [...start.names, ...found.path.split('/')];
      yield { root: start.root, names, kind: found.kind, ...this.#both(start.root, names) };
    }
  }

  /** Folders to walk when no path is given: every root. */
  get roots(): readonly string[] {
    return this.#roots;
  }

  async #entry(path: ProjectPath): Promise<BigIntStats | undefined> {
    const name = path.names.at(-1);
    if (name === undefined) return lstat(await realpath(path.root), { bigint: true });
    const parent = await this.openParent(path);
    try {
      return parent && (await statAny(parent.at(name), path.shown));
    } finally {
      await parent?.close();
    }
  }

  #both(root: string, names: readonly string[]): { shown: string; path: string } {
    const shown = this.#shown(root, names);
    return { shown, path: shown };
  }

  async #candidates(given: string): Promise<ProjectPath[]> {
    const found: ProjectPath[] = [];
    for (const root of this.#roots) {
      const bases = isAbsolute(given) ? [root, await realpath(root).catch(() => root)] : [root];
      const base = bases.find((each) => liesInside(each, resolve(each, given)));
      if (base === undefined) continue;
      const names = relative(base, resolve(base, given)).split(sep).filter(Boolean);
      found.push({ root, names, shown: this.#shown(root, names) });
    }
    return found;
  }

  #shown(root: string, names: readonly string[]): string {
    return root === this.firstRoot ? names.join('/') || '.' : join(root, ...names);
  }

  #refuseOwn(given: string, { root, names }: ProjectPath): void {
    const own = names.find((name) => isOwnName(name));
    if (own !== undefined) {
      throw new PathRefusedError(given, `"${own}" belongs to Git or to Tutti itself`);
    }
    if (this.#isOwn(root, names)) {
      throw new PathRefusedError(given, 'it belongs to the data directory of Tutti');
    }
  }

  #isOwn(root: string, names: readonly string[]): boolean {
    if (names.some((name) => name.split('/').some(isOwnName))) return true;
    const path = join(realOrGiven(root), ...names);
    return this.#ownFolders.some((folder) => liesInside(folder, path));
  }

  async #open(
    path: ProjectPath,
    names: readonly string[],
    options: { readonly create?: boolean },
  ): Promise<OpenFolder | undefined> {
    try {
      return await openFolder(path.root, names, options);
    } catch (error) {
      if (error instanceof NotAFolderError) throw new PathRefusedError(path.shown, error.message);
      throw error;
    }
  }
}

function realOrGiven(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A regular file's entry, undefined when there is none; refuses everything else with the reason. */
async function statEntry(at: string, shown: string): Promise<BigIntStats | undefined> {
  const info = await statAny(at, shown);
  if (!info) return undefined;
  if (info.isDirectory()) throw new PathRefusedError(shown, 'it is a folder');
  if (!info.isFile()) throw new PathRefusedError(shown, `it is ${kindWords(info)}`);
  return info;
}

async function statAny(at: string, shown: string): Promise<BigIntStats | undefined> {
  try {
    const info = await lstat(at, { bigint: true });
    if (info.isSymbolicLink()) throw new PathRefusedError(shown, 'it is a symbolic link');
    return info;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof PathRefusedError) throw error;
    throw new PathRefusedError(shown, `it could not be examined (${codeOf(error)})`);
  }
}

function kindWords(info: BigIntStats): string {
  if (info.isFIFO()) return 'a named pipe';
  if (info.isSocket()) return 'a socket';
  return 'a device';
}

function tooLarge(shown: string, size: bigint, limit: number): TooLargeError {
  return new TooLargeError(`"${shown}" (${size} bytes)`, `${limit} bytes`);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const ownNames: ReadonlySet<string> = new Set(['.git', 'git~1', '.tutti', 'tutti.yaml']);

/**
 * Whether a name means Git's or Tutti's own files on any file system: ones that ignore case (macOS,
 * Windows), trailing dots and spaces (Windows), invisible characters (HFS+) or take short names (NTFS).
 */
function isOwnName(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/:.*$/, '');
  return ownNames.has(plain);
}
