import { join, relative } from 'node:path';
import type { SourceFiles } from '../source-files.ts';

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
