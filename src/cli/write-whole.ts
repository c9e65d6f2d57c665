import { link, open, rename, rm } from 'node:fs/promises';
import { UsageError } from './errors.ts';

interface WrittenFile {
  /** What is written, for the error: `The session`. */
  readonly what: string;
  readonly text: string;
  readonly isForced: boolean;
}

/** The file is there whole or, when this fails, as it was. */
export async function writeWhole(
  path: string,
  { what, text, isForced }: WrittenFile,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const draft = await open(temporary, 'wx', 0o600);
    try {
      await draft.writeFile(text);
      await draft.sync();
    } finally {
      await draft.close();
    }
    // A second name for the file, unlike a new one, never takes the place of another file.
    if (isForced) await rename(temporary, path);
    else await link(temporary, path);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = isThere
      ? 'the file is there already; --force replaces it'
      : error instanceof Error
        ? error.message
        : String(error);
    throw new UsageError(`${what} was not written to ${path}: ${reason}`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}
