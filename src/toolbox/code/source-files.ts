import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import ignorePackage, { type Ignore } from 'ignore';
import { z } from 'zod';
import { AppError, liesInside, readRegularFile, UnusableFileError } from '../../kernel/index.ts';
import { excludeField, excluder } from '../files/exclude.ts';
import { walkFiles, type LeftOutEntry } from '../files/walk-files.ts';
import { detectLanguage } from './detect-language.ts';
import {
  LanguageUnknownError,
  NoFilesError,
  NoSourceError,
  NotTextError,
  OutsideRootsError,
  TooMuchSourceError,
  type NoFilesReason,
} from './errors.ts';
import { knownEndings, languageOfPath, languages, otherKindOf, type Language } from './language.ts';

/** One text to work on. `path` is what the user gave or, below a folder, relative to the root. */
export interface SourceFile {
  readonly path: string;
  /** Where the file is on disk; absent for text that came in the call. */
  readonly absolutePath?: string;
  readonly text: string;
  readonly language: Language;
}

/** The input fields every code tool shares: exactly one of `code` and `path`. */
export const sourceFields = {
  code: z.string().optional().describe('The source text itself. Give this or `path`.'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('A file, a folder or a glob such as src/**/*.py, inside the allowed roots.'),
  exclude: excludeField,
  language: z
    .enum(languages)
    .optional()
    .describe('Detected from the file name or the text when not given.'),
};

export const leftOutReasons = [
  'ignored',
  'generated',
  'vendored',
  'excluded',
  'hidden',
  'unsupported',
  'unreadable',
  'too_slow',
] as const;

/** A file or a whole folder below the requested one that is left out. */
export interface LeftOutPath {
  readonly path: string;
  readonly reason: (typeof leftOutReasons)[number];
}

/** A file of several that could not be read. */
export interface UnreadableFile {
  readonly path: string;
  readonly error: AppError;
}

interface ResolveOptions {
  readonly onUnreadable?: (file: UnreadableFile) => void;
  /** Called with each path left out because Git ignores it, the exclude patterns name it or its folder is hidden. */
  readonly onLeftOut?: (path: LeftOutPath) => void;
}

interface FoundPath {
  readonly path: string;
  readonly absolutePath: string;
}

export interface SourceRequest {
  readonly code?: string | undefined;
  readonly path?: string | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly language?: Language | undefined;
}

/** What one call may read at most. */
interface SourceLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

const defaultSourceLimits: SourceLimits = {
  maxFiles: 5_000,
  maxFileBytes: 10 * 1024 * 1024,
  maxTotalBytes: 100 * 1024 * 1024,
};

/** The path a text carries that came in the call itself. */
export const inlinePath = '<code>';

const ignoredFolders = [
  '**/node_modules/**',
  '**/.git/**',
  '**/dist/**',
  '**/.venv/**',
  '**/__pycache__/**',
];

/**
 * Finds what a call is about, and only inside the allowed roots: a path that leaves them, by `..`,
 * absolutely or through a symbolic link, is refused before anything of it is read.
 */
export class SourceFiles {
  readonly #roots: readonly string[];
  readonly #limits: SourceLimits;
  readonly #exclude: Ignore;

  constructor(
    roots: readonly string[],
    {
      exclude = [],
      ...limits
    }: Partial<SourceLimits> & { readonly exclude?: readonly string[] } = {},
  ) {
    this.#roots = roots.map((root) => resolve(root));
    this.#limits = { ...defaultSourceLimits, ...limits };
    this.#exclude = ignorePackage.default().add([...exclude]);
  }

  /**
   * The texts a request names, in a stable order. One file of several that cannot be read is
   * reported to `onUnreadable` and left out; without that, and for a single file, it fails the whole request.
   */
  async resolve(
    request: SourceRequest,
    signal: AbortSignal,
    { onUnreadable, onLeftOut = () => {} }: ResolveOptions = {},
  ): Promise<readonly SourceFile[]> {
    if ((request.code === undefined) === (request.path === undefined)) throw new NoSourceError();
    if (request.code !== undefined) return [this.#inline(request.code, request.language)];
    const paths = await this.#findOwn(request, signal, onLeftOut);
    const files: SourceFile[] = [];
    let totalBytes = 0;
    for (const path of paths) {
      signal.throwIfAborted();
      try {
        files.push(await this.#read(path, request.language));
      } catch (error) {
        if (!(error instanceof AppError) || !onUnreadable || paths.length === 1) throw error;
        onUnreadable({ path: path.path, error });
        continue;
      }
      totalBytes += files.at(-1)?.text.length ?? 0;
      if (totalBytes > this.#limits.maxTotalBytes) {
        throw new TooMuchSourceError(request.path ?? '', 'bytes', this.#limits.maxTotalBytes);
      }
    }
    return files;
  }

  async #read(path: FoundPath, given: Language | undefined): Promise<SourceFile> {
    const text = await this.readText(path.absolutePath, path.path);
    const other = (given ?? languageOfPath(path.absolutePath)) ? undefined : otherKindOf(path.path);
    const language =
      given ?? languageOfPath(path.absolutePath) ?? (other ? undefined : detectLanguage(text));
    if (!language) throw new LanguageUnknownError(path.path, other?.name);
    return { ...path, text, language };
  }

  /** Files behind a path, folder or glob; folders are searched for files with one of `endings`. */
  async findPaths(given: string, endings: readonly string[]): Promise<readonly FoundPath[]> {
    const folderOrFile = await this.#realPath(given);
    if (folderOrFile === undefined) return this.#glob(given, given);
    const info = await stat(folderOrFile);
    if (info.isDirectory()) return this.#glob(`**/*.{${endings.join(',')}}`, given, folderOrFile);
    if (!info.isFile()) throw new NotTextError(given, 'it is not a regular file');
    return [{ path: given, absolutePath: folderOrFile }];
  }

  /** Like `findPaths`, without what is not the user's own; with it where there is nothing else. */
  async #findOwn(
    { path: given = '', exclude }: SourceRequest,
    signal: AbortSignal,
    onLeftOut: (path: LeftOutPath) => void,
  ): Promise<readonly FoundPath[]> {
    const byCall = excluder(exclude);
    const isOut = (path: string): boolean => byCall(this.#local(path)) || this.isExcluded(path);
    const folder = await this.#folderOf(given);
    const prefix = folder === undefined ? '' : await this.placeOf(folder);
    const leftOut: LeftOutPath[] = [];
    const found: FoundPath[] = [];
    if (folder === undefined) {
      for (const path of await this.findPaths(given, knownEndings())) {
        if (isOut(path.absolutePath)) leftOut.push({ path: path.path, reason: 'excluded' });
        else found.push(path);
      }
    } else {
      const skip = (path: string): boolean =>
        this.#skips({ path, isExcluded: isOut(resolve(folder, path)) }, leftOut);
      const onEntry = ({ path, isFolder, reason }: LeftOutEntry): void => {
        const isSource = isFolder || languageOfPath(path) !== undefined;
        if (reason === 'ignored' && isSource) leftOut.push({ path, reason });
      };
      for await (const { path, kind } of walkFiles(folder, { signal, skip, onLeftOut: onEntry })) {
        if (kind !== 'file') continue;
        if (languageOfPath(path) === undefined) {
          if (otherKindOf(path)?.isCode) leftOut.push({ path, reason: 'unsupported' });
          continue;
        }
        found.push({ path: join(prefix, path), absolutePath: resolve(folder, path) });
        if (found.length > this.#limits.maxFiles) {
          throw new TooMuchSourceError(given, 'files', this.#limits.maxFiles);
        }
      }
    }
    if (found.length === 0) {
      const all = await this.findPaths(given, knownEndings());
      const wanted = all.filter(({ absolutePath }) => !byCall(this.#local(absolutePath)));
      if (wanted.length === 0) throw new NoFilesError(given, 'all excluded');
      return wanted;
    }
    for (const { path, reason } of leftOut) onLeftOut({ path: join(prefix, path), reason });
    return found;
  }

  #skips(
    { path, isExcluded }: { readonly path: string; readonly isExcluded: boolean },
    leftOut: LeftOutPath[],
  ): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!isExcluded && !name.startsWith('.')) return false;
    const reason = isExcluded ? 'excluded' : 'hidden';
    const mayBeFolder = isExcluded && !name.includes('.');
    if (mayBeFolder || languageOfPath(path) !== undefined) leftOut.push({ path, reason });
    return true;
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  /** Whether a path is that of a file or folder, and not a glob. Throws when it lies outside the roots. */
  async exists(given: string): Promise<boolean> {
    return (await this.#realPath(given)) !== undefined;
  }

  /** The root that a path lies in. */
  rootOf(absolutePath: string): string | undefined {
    return this.#roots.find((root) => liesInside(root, absolutePath));
  }

  /** Whether the exclude patterns name a path; they are relative to the root it lies in. */
  isExcluded(absolutePath: string): boolean {
    const local = this.#local(absolutePath);
    return local !== '' && this.#exclude.ignores(local);
  }

  #local(absolutePath: string): string {
    const root = this.rootOf(absolutePath);
    return root === undefined ? '' : relative(root, absolutePath).replaceAll(sep, '/');
  }

  /** The way from its root to a folder: with it in front, paths below the folder are relative to the root. */
  async placeOf(folder: string): Promise<string> {
    const roots = await this.#realRoots();
    const root = roots.find((each) => liesInside(each, folder));
    return root === undefined ? '' : relative(root, folder);
  }

  #realRoots(): Promise<readonly string[]> {
    return Promise.all(this.#roots.map((root) => realpath(root).catch(() => root)));
  }

  async #folderOf(given: string): Promise<string | undefined> {
    const real = await this.#realPath(given);
    return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
  }

  /** A folder inside the roots, by its real path. */
  async findFolder(given: string): Promise<string> {
    const folder = await this.#realPath(given);
    if (folder === undefined || !(await stat(folder)).isDirectory()) {
      throw new NoFilesError(given, folder === undefined ? 'missing' : 'no folder');
    }
    return folder;
  }

  /** The text of a file inside the roots. Refuses what is too large or not UTF-8 text. */
  async readText(absolutePath: string, shownPath: string): Promise<string> {
    const bytes = await this.readBytes(absolutePath, shownPath);
    if (bytes.includes(0)) throw new NotTextError(shownPath, 'it holds NUL bytes');
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new NotTextError(shownPath, 'it is not valid UTF-8');
    }
  }

  /** The bytes of a file inside the roots. Refuses what is too large or no regular file. */
  async readBytes(absolutePath: string, shownPath: string): Promise<Buffer> {
    const { maxFileBytes } = this.#limits;
    try {
      return await readRegularFile(absolutePath, { maxBytes: maxFileBytes, inside: this.#roots });
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      switch (error.reason) {
        case 'missing':
          throw new NoFilesError(shownPath, 'missing');
        case 'outside':
          throw new OutsideRootsError(shownPath, this.#roots);
        case 'too_large':
          throw new TooMuchSourceError(shownPath, 'bytes', maxFileBytes);
        case 'special':
        case 'unreadable':
          throw new NotTextError(shownPath, error.message);
      }
    }
  }

  #inline(code: string, language: Language | undefined): SourceFile {
    if (code.length > this.#limits.maxFileBytes) {
      throw new TooMuchSourceError(inlinePath, 'bytes', this.#limits.maxFileBytes);
    }
    const detected = language ?? detectLanguage(code);
    if (!detected) throw new LanguageUnknownError(inlinePath);
    return { path: inlinePath, text: code, language: detected };
  }

  /** The real path of what exists, `undefined` for what does not; throws when it lies outside. */
  async #realPath(given: string): Promise<string | undefined> {
    if (given.includes('\0')) throw new OutsideRootsError(given, this.#roots);
    const candidates = isAbsolute(given)
      ? [given]
      : this.#roots.map((root) => resolve(root, given));
    const allowed = candidates.filter((path) => this.#isLexicallyInside(path));
    if (allowed.length === 0) throw new OutsideRootsError(given, this.#roots);
    for (const path of allowed) {
      const real = await realpath(path).catch(() => undefined);
      if (real === undefined) continue;
      await this.#assertInside(real, given);
      return real;
    }
    return undefined;
  }

  #isLexicallyInside(path: string): boolean {
    return this.#roots.some((root) => liesInside(root, path));
  }

  async #assertInside(real: string, given: string): Promise<void> {
    const roots = await this.#realRoots();
    if (!roots.some((root) => liesInside(root, real)))
      throw new OutsideRootsError(given, this.#roots);
  }

  async #glob(pattern: string, given: string, folder?: string): Promise<readonly FoundPath[]> {
    if (pattern.split(/[/\\{},()|]/).includes('..'))
      throw new OutsideRootsError(given, this.#roots);
    const { glob } = await import('tinyglobby');
    const found = new Map<string, FoundPath>();
    const prefix = folder === undefined ? '' : await this.placeOf(folder);
    for (const root of folder === undefined ? this.#roots : [folder]) {
      const local = isAbsolute(pattern) ? relative(root, pattern) : pattern;
      if (local.startsWith('..')) continue;
      const matches = await glob(local, {
        cwd: root,
        absolute: true,
        followSymbolicLinks: false,
        ignore: ignoredFolders,
        onlyFiles: true,
      });
      for (const match of matches) {
        const real = await realpath(match).catch(() => undefined);
        // A link to nothing, or a file that has gone meanwhile.
        if (real === undefined) continue;
        await this.#assertInside(real, given);
        found.set(real, { path: join(prefix, relative(root, match)), absolutePath: real });
      }
    }
    if (found.size === 0) throw new NoFilesError(given, whyNone(given, folder));
    if (found.size > this.#limits.maxFiles) {
      throw new TooMuchSourceError(given, 'files', this.#limits.maxFiles);
    }
    return [...found.values()].sort((a, b) => (a.absolutePath < b.absolutePath ? -1 : 1));
  }
}

function whyNone(given: string, folder: string | undefined): NoFilesReason {
  if (folder !== undefined) return 'no language';
  return /[*?{[(]/.test(given) ? 'no match' : 'missing';
}
