import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { SourceFiles } from '../../code/source-files.ts';
import { ProjectTooLargeError } from '../tests/errors.ts';
import { defaultProjectLimits, gatherProject } from '../tests/gather-project.ts';
import type { ProgramFiles } from './find-entry.ts';

/**
 * A program that is a file of the project, with the texts of its folder, which it may import or read. Of a folder that is
 * too large for a sandbox it is the file alone.
 */
export async function readProgram(
  path: string,
  where: { readonly roots: readonly string[]; readonly signal: AbortSignal },
): Promise<ProgramFiles> {
  const sources = new SourceFiles(where.roots, defaultProjectLimits);
  const [found] = await sources.findPaths(path, []);
  const entry = basename(path);
  const own = found === undefined ? '' : await sources.readText(found.absolutePath, path);
  try {
    const { files } = await gatherProject(path, where);
    const texts = Object.entries(files).flatMap(([name, content]): [string, string][] => {
      if (typeof content === 'string') return [[name, content]];
      return isUtf8(content) && !content.includes(0) ? [[name, decoder.decode(content)]] : [];
    });
    return { files: { ...Object.fromEntries(texts), [entry]: own }, entry };
  } catch (error) {
    if (!(error instanceof ProjectTooLargeError)) throw error;
    return { files: { [entry]: own }, entry };
  }
}

const decoder = new TextDecoder();
