import { open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { NoFilesError, TooMuchSourceError } from '../errors.ts';
import type { SourceFiles } from '../source-files.ts';

/** A text file to be looked through. */
export interface TextFile {
  readonly path: string;
  read(): Promise<string>;
}

const maxFiles = 20_000;
const maxFileBytes = 10 * 1024 * 1024;
const probeBytes = 8_000;

/** Folders whose contents are not the user's own writing. Hidden files and folders do count. */
const ignoredFolders = ['**/node_modules/**', '**/.git/**', '**/.venv/**', '**/__pycache__/**'];

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
  const paths =
    folder === undefined ? await sources.findPaths(given, []) : await listFolder(folder, given);
  const files: TextFile[] = [];
  for (const { path, absolutePath } of paths) {
    signal.throwIfAborted();
    if (await isOwnText(absolutePath, folder)) {
      files.push({ path, read: () => readText(absolutePath) });
    }
  }
  return { files, skipped: paths.length - files.length };
}

async function findFolder(given: string, sources: SourceFiles): Promise<string | undefined> {
  try {
    return await sources.findFolder(given);
  } catch (error) {
    if (error instanceof NoFilesError) return undefined;
    throw error;
  }
}

async function listFolder(
  folder: string,
  given: string,
): Promise<readonly { path: string; absolutePath: string }[]> {
  const { glob } = await import('tinyglobby');
  const names = await glob('**/*', {
    cwd: folder,
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    ignore: ignoredFolders,
  });
  if (names.length === 0) throw new NoFilesError(given);
  if (names.length > maxFiles) throw new TooMuchSourceError(given, 'files', maxFiles);
  return names.sort().map((path) => ({ path, absolutePath: join(folder, path) }));
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
