import { constants } from 'node:fs';
import { access, mkdir, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FileNotWrittenError } from './errors.ts';

/** Only the user may read what may hold secrets. */
const privateMode = 0o600;

/**
 * The file that is really meant: a link is followed, so that it stays a link. A link of the user's
 * may be there before its file is; one of a project would say where a file is made.
 */
export async function realFile(path: string, owner: 'user' | 'project'): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || owner === 'project') return real ?? path;
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? path : resolve(dirname(path), target);
}

export async function makeFolderFor(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new FileNotWrittenError(path, error);
  });
}

/**
 * Whoever reads the file sees the old text or the new one, also after a crash. Keeps its mode. The
 * caller holds the lock of the file.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => undefined,
    );
    // Replacing a file needs no right to write to it; who took that right away meant it.
    if (mode !== undefined) await access(path, constants.W_OK);
    // A killed process may have left it, and a project may have planted a link: neither is written to.
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx', mode ?? privateMode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new FileNotWrittenError(path, error);
  }
}
