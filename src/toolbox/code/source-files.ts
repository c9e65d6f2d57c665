import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { detectLanguage } from './detect-language.ts';
import {
  LanguageUnknownError,
  NoFilesError,
  NoSourceError,
  NotTextError,
  OutsideRootsError,
  TooMuchSourceError,
} from './errors.ts';
import { knownEndings, languageOfPath, languages, type Language } from './language.ts';

/** One text to work on. `path` is what the user gave or, below a folder, relative to its root. */
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
  language: z
    .enum(languages)
    .optional()
    .describe('Detected from the file name or the text when not given.'),
};

export interface SourceRequest {
  readonly code?: string | undefined;
  readonly path?: string | undefined;
  readonly language?: Language | undefined;
}

/** What one call may read at most. */
export interface SourceLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export const defaultSourceLimits: SourceLimits = {
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

  constructor(roots: readonly string[], limits: SourceLimits = defaultSourceLimits) {
    this.#roots = roots.map((root) => resolve(root));
    this.#limits = limits;
  }

  /** The texts a request names, at least one, in a stable order. */
  async resolve(request: SourceRequest, signal: AbortSignal): Promise<readonly SourceFile[]> {
    if ((request.code === undefined) === (request.path === undefined)) throw new NoSourceError();
    if (request.code !== undefined) return [this.#inline(request.code, request.language)];
    const paths = await this.findPaths(request.path ?? '', knownEndings);
    const files: SourceFile[] = [];
    let totalBytes = 0;
    for (const path of paths) {
      signal.throwIfAborted();
      const language = request.language ?? languageOfPath(path.absolutePath);
      const text = await this.readText(path.absolutePath, path.path);
      totalBytes += text.length;
      if (totalBytes > this.#limits.maxTotalBytes) {
        throw new TooMuchSourceError(request.path ?? '', 'bytes', this.#limits.maxTotalBytes);
      }
      const detected = language ?? detectLanguage(text);
      if (!detected) throw new LanguageUnknownError(path.path);
      files.push({ ...path, text, language: detected });
    }
    return files;
  }

  /** Files behind a path, folder or glob; folders are searched for files with one of `endings`. */
  async findPaths(
    given: string,
    endings: readonly string[],
  ): Promise<readonly { path: string; absolutePath: string }[]> {
    const folderOrFile = await this.#realPath(given);
    if (folderOrFile === undefined) return this.#glob(given, given);
    const info = await stat(folderOrFile);
    if (info.isDirectory()) return this.#glob(`**/*.{${endings.join(',')}}`, given, folderOrFile);
    if (!info.isFile()) throw new NotTextError(given, 'it is not a regular file');
    return [{ path: given, absolutePath: folderOrFile }];
  }

  /** A folder inside the roots, by its real path. */
  async findFolder(given: string): Promise<string> {
    const folder = await this.#realPath(given);
    if (folder === undefined || !(await stat(folder)).isDirectory()) throw new NoFilesError(given);
    return folder;
  }

  /** The text of a file inside the roots. Refuses what is too large or not UTF-8. */
  async readText(absolutePath: string, shownPath: string): Promise<string> {
    const info = await stat(absolutePath);
    if (info.size > this.#limits.maxFileBytes) {
      throw new TooMuchSourceError(shownPath, 'bytes', this.#limits.maxFileBytes);
    }
    const bytes = await readFile(absolutePath);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new NotTextError(shownPath, 'it is not valid UTF-8');
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
    return this.#roots.some((root) => isInside(root, path));
  }

  async #assertInside(real: string, given: string): Promise<void> {
    const roots = await Promise.all(this.#roots.map((root) => realpath(root).catch(() => root)));
    if (!roots.some((root) => isInside(root, real)))
      throw new OutsideRootsError(given, this.#roots);
  }

  async #glob(
    pattern: string,
    given: string,
    folder?: string,
  ): Promise<readonly { path: string; absolutePath: string }[]> {
    if (pattern.split(/[/\\]/).includes('..')) throw new OutsideRootsError(given, this.#roots);
    const { glob } = await import('tinyglobby');
    const found = new Map<string, { path: string; absolutePath: string }>();
    for (const root of folder === undefined ? this.#roots : [folder]) {
      const local = isAbsolute(pattern) ? relative(root, pattern) : pattern;
      const matches = await glob(local, {
        cwd: root,
        absolute: true,
        followSymbolicLinks: false,
        ignore: ignoredFolders,
        onlyFiles: true,
      });
      for (const match of matches) {
        const real = await realpath(match);
        await this.#assertInside(real, given);
        found.set(real, { path: relative(root, match), absolutePath: real });
      }
    }
    if (found.size === 0) throw new NoFilesError(given);
    if (found.size > this.#limits.maxFiles) {
      throw new TooMuchSourceError(given, 'files', this.#limits.maxFiles);
    }
    return [...found.values()].sort((a, b) => (a.absolutePath < b.absolutePath ? -1 : 1));
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
