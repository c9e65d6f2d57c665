import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../kernel/index.ts';
import type { OverrideProblem, StandardsFile } from './parse-document.ts';

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
  for (const { path } of found.slice(0, maxFiles)) {
    if (!/\.(md|json|ya?ml)$/.test(path)) continue;
    const read = await readWithin(folder, join(folder, path));
    if (read.kind === 'read') files.push({ path, text: read.text });
    else problems.push(problem(path, read.reason));
  }
  return { files, problems };
}

function problem(file: string, message: string): OverrideProblem {
  return { file, line: 1, message };
}

async function readWithin(root: string, path: string): Promise<FileText> {
  try {
    const text = decode(await readRegularFile(path, { maxBytes: maxFileBytes, inside: [root] }));
    return text === undefined
      ? { kind: 'refused', reason: 'it is not valid UTF-8' }
      : { kind: 'read', text };
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
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
