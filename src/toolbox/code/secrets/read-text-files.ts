import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { NoFilesError, TooMuchSourceError } from '../errors.ts';
import type { SourceFiles } from '../source-files.ts';

/** A text file to be looked through. */
export interface TextFile {
  readonly path: string;
  read(): Promise<string>;
}

const maxFiles = 20_000;
/** Files, folders and links together. */
const maxEntries = 200_000;
const maxFileBytes = 10 * 1024 * 1024;
const probeBytes = 8_000;

/** Folders whose contents are not the user's own writing. Hidden files and folders do count. */
const ignoredFolders: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.venv',
  '__pycache__',
]);

/**
 * Every text file behind a path, folder or glob inside the roots, whatever its ending. What is
 * binary, too large or a link out of the folder is left out and counted.
 */
export async function readTextFiles(
  given: string,
  sources: SourceFiles,
  signal: AbortSignal,
): Promise<{ readonly files: readonly TextFile[]; readonly skipped: number }> {
  const folder = await findFolder(given, sources);
  const { paths, linksOut } =
    folder === undefined
      ? { paths: await sources.findPaths(given, []), linksOut: 0 }
      : await listFolder(folder, given, signal);
  const files: TextFile[] = [];
  for (const { path, absolutePath } of paths) {
    signal.throwIfAborted();
    if (await isOwnText(absolutePath, folder)) {
      files.push({ path, read: () => readText(absolutePath) });
    }
  }
  return { files, skipped: paths.length - files.length + linksOut };
}

async function findFolder(given: string, sources: SourceFiles): Promise<string | undefined> {
  try {
    return await sources.findFolder(given);
  } catch (error) {
    if (error instanceof NoFilesError) return undefined;
    throw error;
  }
}

interface FolderListing {
  readonly paths: readonly { readonly path: string; readonly absolutePath: string }[];
  /** Links to files or folders elsewhere. One to something below is not followed: that is listed itself. */
  readonly linksOut: number;
}

async function listFolder(
  folder: string,
  given: string,
  signal: AbortSignal,
): Promise<FolderListing> {
  const paths: { path: string; absolutePath: string }[] = [];
  const pending = [''];
  let linksOut = 0;
  let seen = 0;
  for (let inside = pending.pop(); inside !== undefined; inside = pending.pop()) {
    signal.throwIfAborted();
    // A folder that may not be read holds nothing the caller could have been shown.
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() && ignoredFolders.has(entry.name)) continue;
      const path = join(inside, entry.name);
      const absolutePath = join(folder, path);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) paths.push({ path, absolutePath });
      else if (entry.isSymbolicLink() && (await leaves(absolutePath, folder))) linksOut += 1;
    }
    seen += entries.length;
    if (paths.length > maxFiles || seen > maxEntries) {
      throw new TooMuchSourceError(given, 'files', maxFiles);
    }
  }
  if (paths.length === 0 && linksOut === 0) throw new NoFilesError(given, 'no file');
  paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { paths, linksOut };
}

/** Whether a link leads out of a folder; one to nothing does not. */
async function leaves(link: string, folder: string): Promise<boolean> {
  const real = await realpath(link).catch(() => undefined);
  return real !== undefined && real !== folder && !real.startsWith(folder + sep);
}

/** Text as Git sees it: no zero byte near the start. A link that leaves the folder is not followed. */
async function isOwnText(path: string, folder: string | undefined): Promise<boolean> {
  try {
    if (folder !== undefined && !(await realpath(path)).startsWith(folder + sep)) return false;
    const info = await stat(path);
    if (!info.isFile() || info.size > maxFileBytes) return false;
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(probeBytes) });
      return !buffer.subarray(0, bytesRead).includes(0);
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

async function readText(path: string): Promise<string> {
  const file = await open(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
