import { lstat, readFile, readdir, realpath, stat } from 'node:fs/promises';
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
}

const subfolders = ['prompts', 'templates'];
const maxFiles = 500;
const maxFileBytes = 256 * 1024;

/** Changes whenever a file appears, disappears or is written; empty when there is no folder. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  return files.map(({ path, mtimeMs, size }) => `${path} ${mtimeMs} ${size}`).join('\n');
}

/** Reads the folder and its `prompts` and `templates`. Links that lead out of it are not followed. */
export async function readFolder(folder: string): Promise<FolderContents> {
  const files: StandardsFile[] = [];
  const problems: OverrideProblem[] = [];
  const found = await listFiles(folder);
  if ((await lstat(folder).catch(() => undefined))?.isSymbolicLink()) {
    return { files, problems: [problem('.', 'the folder is a symbolic link and is not followed')] };
  }
  if (found.length > maxFiles) {
    problems.push(problem('.', `the folder has ${found.length} files; ${maxFiles} are read`));
  }
  const root = await realpath(folder).catch(() => folder);
  for (const { path, size } of found.slice(0, maxFiles)) {
    if (!/\.(md|json|ya?ml)$/.test(path)) continue;
    const real = await realpath(join(folder, path)).catch(() => undefined);
    if (real === undefined || !real.startsWith(root + sep)) {
      problems.push(problem(path, 'it is a link that leads out of the folder, or to nothing'));
    } else if (size > maxFileBytes) {
      problems.push(problem(path, `it has more than ${maxFileBytes} bytes`));
    } else {
      const text = decode(await readFile(real));
      if (text === undefined) problems.push(problem(path, 'it is not valid UTF-8'));
      else files.push({ path, text });
    }
  }
  return { files, problems };
}

function problem(file: string, message: string): OverrideProblem {
  return { file, line: 1, message };
}

async function listFiles(folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const part of ['', ...subfolders]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory() || found.length > maxFiles) continue;
      const path = part === '' ? entry.name : `${part}/${entry.name}`;
      const info = await stat(join(folder, path)).catch(() => undefined);
      found.push({ path, mtimeMs: info?.mtimeMs ?? 0, size: info?.size ?? 0 });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
