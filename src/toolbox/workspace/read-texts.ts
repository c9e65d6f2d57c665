import { AppError } from '../../kernel/index.ts';
import type { ProjectFiles } from './project-files.ts';
import { decodeText } from './text-file.ts';

/** Larger files are data rather than text a person wrote. */
const maxTextBytes = 2 * 1024 * 1024;

/** The text files of a file or folder, or of the whole project; `text` is undefined for what is none. */
export async function* readTexts(
  files: ProjectFiles,
  path: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ readonly shown: string; readonly text: string | undefined }> {
  for (const start of path === undefined ? files.roots : [path]) {
    for await (const found of files.walk(start, signal)) {
      if (found.kind === 'file') yield { shown: found.shown, text: await readOrSkip(files, found) };
    }
  }
}

async function readOrSkip(
  files: ProjectFiles,
  path: Parameters<ProjectFiles['read']>[0],
): Promise<string | undefined> {
  try {
    const found = await files.read(path, maxTextBytes);
    return found && decodeText(found.bytes, path.shown).text;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
