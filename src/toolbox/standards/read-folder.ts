import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { OverrideProblem, StandardsFile } from './standards-file.ts';

/** What was found in a folder of standards. */
export interface FolderContents {
  readonly files: readonly StandardsFile[];
  readonly problems: readonly OverrideProblem[];
}

interface FoundFile {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** Who may read it: a file that could not be read may become readable. */
  readonly mode: number;
}

type FileText =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

const subfolders = ['prompts', 'templates'];
const maxFiles = 500;
const maxFileBytes = 256 * 1024;

/** Changes whenever a file appears, disappears, is written or gets other permissions; empty when there is no folder. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  return files
    .map(({ path, mtimeMs, size, mode }) => `${path} ${mtimeMs} ${size} ${mode}`)
    .join('\n');
}

/**
 * Reads the folder and its `prompts` and `templates`. Links that lead out of it are not followed. What
 * cannot be read is a problem of its own and never hides the rest.
 */
export async function readFolder(folder: string): Promise<FolderContents> {
  const files: StandardsFile[] = [];
  const problems: OverrideProblem[] = [];
  const found = await listFiles(folder);
  if ((await lstat(folder).catch(() => undefined))?.isSymbolicLink()) {
    return { files, problems: [problem('.', 'the folder is a symbolic link and is not followed')] };
  }
  if (found.length > maxFiles) {
    const message = `the folder has more than ${maxFiles} files; only the first ${maxFiles} by name are read`;
    problems.push(problem('.', message));
  }
  const root = await realpath(folder).catch(() => folder);
  for (const { path } of found.slice(0, maxFiles)) {
    if (!/\.(md|json|ya?ml)$/.test(path)) continue;
    const read = await readWithin(root, join(folder, path));
    if (read.kind === 'read') files.push({ path, text: read.text });
    else problems.push(problem(path, read.reason));
  }
  return { files, problems };
}

function problem(file: string, message: string): OverrideProblem {
  return { file, line: 1, message };
}

async function readWithin(root: string, path: string): Promise<FileText> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !real.startsWith(root + sep)) {
    return { kind: 'refused', reason: 'it is a link that leads out of the folder, or to nothing' };
  }
  try {
    return await readBounded(real);
  } catch (error) {
    const cause = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { kind: 'refused', reason: `it could not be read (${cause})` };
  }
}

/** Asks the opened file, not its name, what it is: the name may mean another one by then. */
async function readBounded(path: string): Promise<FileText> {
  // Without O_NONBLOCK, opening a pipe waits for a writer, and nothing can end that wait.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await handle.stat();
    if (!info.isFile()) return { kind: 'refused', reason: 'it is not a file' };
    if (info.size > maxFileBytes) {
      return { kind: 'refused', reason: `it has more than ${maxFileBytes} bytes` };
    }
    const text = decode(await handle.readFile());
    if (text === undefined) return { kind: 'refused', reason: 'it is not valid UTF-8' };
    return { kind: 'read', text };
  } finally {
    await handle.close();
  }
}

/** The files in order of their names, one more than are read at most. */
async function listFiles(folder: string): Promise<FoundFile[]> {
  const paths: string[] = [];
  for (const part of ['', ...subfolders]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory()) paths.push(part === '' ? entry.name : `${part}/${entry.name}`);
    }
  }
  const found: FoundFile[] = [];
  for (const path of paths.sort().slice(0, maxFiles + 1)) {
    const info = await stat(join(folder, path)).catch(() => undefined);
    const { mtimeMs = 0, size = 0, mode = 0 } = info ?? {};
    found.push({ path, mtimeMs, size, mode });
  }
  return found;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
