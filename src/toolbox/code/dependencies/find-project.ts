import { basename, dirname, join, relative, sep } from 'node:path';
import { AppError } from '../../../kernel/index.ts';
import type { SourceFiles } from '../source-files.ts';
import type { ProjectFile } from './resolution.ts';

export interface FoundProject {
  /** The folder all ids are relative to, absolute. */
  readonly root: string;
  readonly files: readonly { readonly id: string; readonly absolutePath: string }[];
  readonly projectFiles: readonly ProjectFile[];
}

const projectFileNames = ['tsconfig.json', 'jsconfig.json', 'package.json', 'go.mod', 'Cargo.toml'];
const maxLevelsUp = 8;

/** The files behind a folder or glob, and the project files that tell how their imports resolve. */
export async function findProject(
  sources: SourceFiles,
  given: string,
  endings: readonly string[],
): Promise<FoundProject> {
  const paths = await sources.findPaths(given, endings);
  const folder = await sources.findFolder(given).catch(() => undefined);
  const root = folder ?? commonFolder(paths.map(({ absolutePath }) => dirname(absolutePath)));
  const files = paths.map(({ absolutePath }) => ({
    id: relative(root, absolutePath).split(sep).join('/'),
    absolutePath,
  }));
  const below = folder === undefined ? [] : await findNamed(sources, given);
  const above = await findAbove(sources, root);
  const projectFiles: ProjectFile[] = [];
  for (const absolutePath of new Set([...below, ...above])) {
    const text = await textOf(sources, absolutePath);
    if (text === undefined) continue;
    projectFiles.push({
      name: basename(absolutePath),
      absoluteFolder: dirname(absolutePath),
      text,
    });
  }
  return { root, files, projectFiles };
}

function commonFolder(folders: readonly string[]): string {
  const [first = sep, ...rest] = folders;
  let common = first.split(sep);
  for (const folder of rest) {
    const parts = folder.split(sep);
    const differs = common.findIndex((part, index) => part !== parts[index]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  return common.join(sep) || sep;
}

/** Having none is normal; leaving the roots or meeting too many is not worth failing for either. */
async function findNamed(sources: SourceFiles, folder: string): Promise<string[]> {
  try {
    const found = await findNamedFiles(sources, folder, projectFileNames);
    return found.map(({ absolutePath }) => absolutePath);
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** A module's go.mod or tsconfig.json often lies above the folder that is looked at. */
async function findAbove(sources: SourceFiles, root: string): Promise<string[]> {
  const found: string[] = [];
  let folder = root;
  for (let level = 0; level <= maxLevelsUp; level += 1) {
    for (const name of projectFileNames) {
      const files = await sources.findPaths(join(folder, name), []).catch(() => []);
      found.push(...files.map(({ absolutePath }) => absolutePath));
    }
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return found;
}

async function textOf(sources: SourceFiles, absolutePath: string): Promise<string | undefined> {
  return sources.readText(absolutePath, absolutePath).catch(() => undefined);
}

export interface NamedFile {
  /** The folder as it was given, and the way from it to the file. */
  readonly path: string;
  readonly absolutePath: string;
}

/** Files below a folder inside the roots whose names fit one of the globs, in a stable order. */
export async function findNamedFiles(
  sources: SourceFiles,
  folder: string,
  names: readonly string[],
): Promise<readonly NamedFile[]> {
  const real = await sources.findFolder(folder);
  const { escapePath } = await import('tinyglobby');
  const pattern = join(escapePath(folder), `**/{${names.join(',')}}`);
  const files = await sources.findPaths(pattern, []);
  // With several roots the same relative folder may exist in more than one of them.
  return files
    .map(({ absolutePath }) => ({ absolutePath, inside: relative(real, absolutePath) }))
    .filter(({ inside }) => !inside.startsWith('..'))
    .map(({ absolutePath, inside }) => ({ absolutePath, path: join(folder, inside) }));
}
