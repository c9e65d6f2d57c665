import { opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { liesInside, readFileStart } from '../../../kernel/index.ts';
import { docsLimits, type DocsLimits } from '../library.ts';

export interface FileText {
  readonly text: string;
  /** The file is longer than what is read of it. */
  readonly isCut: boolean;
}

export interface FileList {
  /** Relative to the package, with `/`; those nearest to its top first, then by name. */
  readonly files: readonly string[];
  readonly isComplete: boolean;
}

const ignoredFolders = new Set(['node_modules', '__pycache__', 'test', 'tests', 'testdata']);

/** Files with more broken characters than one in this many are not text. */
const charsPerBrokenChar = 20;

/**
 * The files of one package. Links inside it are never followed and `..` leads nowhere, so nothing
 * outside its folder is ever read, however it was packed.
 */
export class PackageFiles {
  readonly #folder: string;
  readonly #parts: readonly string[];
  readonly #limits: DocsLimits;

  /** `folder` is a real path; `parts` are the names in it that belong to the package. */
  constructor(folder: string, parts: readonly string[] = ['.'], limits: DocsLimits = docsLimits) {
    this.#folder = folder;
    this.#parts = parts;
    this.#limits = limits;
  }

  async list(): Promise<FileList> {
    const files: string[] = [];
    let seen = 0;
    const waiting = [...this.#parts];
    for (let next = 0; next < waiting.length; next += 1) {
      const folder = waiting[next] ?? '.';
      const found = await this.#entries(folder, this.#limits.maxEntriesSeen - seen);
      // A part that is a file: a module of a single file.
      if (!found) files.push(folder);
      for (const { path, isFolder } of found ?? []) (isFolder ? waiting : files).push(path);
      seen += (found?.length ?? 0) + 1;
      if (seen >= this.#limits.maxEntriesSeen) return { files, isComplete: false };
    }
    return { files, isComplete: true };
  }

  async #entries(
    folder: string,
    max: number,
  ): Promise<{ path: string; isFolder: boolean }[] | undefined> {
    const absolute = join(this.#folder, folder);
    if (!(await this.#isOwn(absolute))) return [];
    const found: { path: string; isFolder: boolean }[] = [];
    try {
      for await (const entry of await opendir(absolute)) {
        if (found.length >= max) break;
        const isFolder = entry.isDirectory();
        if (!isFolder && !entry.isFile()) continue;
        if (isFolder && (entry.name.startsWith('.') || ignoredFolders.has(entry.name))) continue;
        found.push({ path: folder === '.' ? entry.name : `${folder}/${entry.name}`, isFolder });
      }
    } catch (error) {
      const isFile = error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
      return isFile ? undefined : [];
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The beginning of a file as text; undefined for what is missing, elsewhere, or no text. */
  async read(path: string): Promise<FileText | undefined> {
    const absolute = join(this.#folder, path);
    if (!(await this.#isOwn(absolute))) return undefined;
    const limits = { maxBytes: this.#limits.maxFileBytes + 1, inside: [this.#folder] };
    const bytes = await readFileStart(absolute, limits).catch(() => undefined);
    return bytes && decode(bytes, this.#limits);
  }

  /** Inside the folder and reached without a link: only then is a path its own real path. */
  async #isOwn(absolute: string): Promise<boolean> {
    if (!liesInside(this.#folder, absolute)) return false;
    return (await realpath(absolute).catch(() => undefined)) === absolute;
  }
}

function decode(bytes: Buffer, { maxFileBytes }: DocsLimits): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  const isCut = bytes.length > maxFileBytes;
  // A cut may fall into a character or a sentence: whole lines only.
  const whole = isCut ? bytes.subarray(0, Math.max(bytes.lastIndexOf(10, maxFileBytes), 0)) : bytes;
  const text = new TextDecoder('utf-8').decode(whole);
  const broken = text.split('\u{FFFD}').length - 1;
  if (broken > 0 && broken * charsPerBrokenChar > text.length) return undefined;
  return { text: text.replaceAll('\r\n', '\n'), isCut };
}
