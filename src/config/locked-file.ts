import { constants } from 'node:fs';
import {
  access,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isRunning, readFileStart, UnusableFileError } from '../kernel/index.ts';
import { FileLockedError, FileNotWrittenError } from './errors.ts';

/** How long an edit waits for another one; an edit itself takes a few milliseconds. */
const usualWaitMs = 10_000;
const pauseMs = 20;
/** A lock older than this was left behind by a process that died. */
const staleAfterMs = 5_000;

/** Runs `work` while no other process of ours changes `file`. */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
  maxWaitMs: number = usualWaitMs,
): Promise<Result> {
  const lock = `${file}.lock`;
  await take(file, lock, maxWaitMs);
  try {
    return await work();
  } finally {
    await unlink(lock).catch(() => {});
  }
}

async function take(file: string, lock: string, maxWaitMs: number): Promise<void> {
  const giveUpAt = Date.now() + maxWaitMs;
  while (Date.now() < giveUpAt) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw new FileNotWrittenError(file, error);
    }
    if (!(await dropIfLeftBehind(lock))) await pause(pauseMs);
  }
  throw new FileLockedError(file, maxWaitMs);
}

/** Removes the lock of a process that is gone, or cannot still be at it, and says whether it did. */
async function dropIfLeftBehind(lock: string): Promise<boolean> {
  if (!(await isLeftBehind(lock))) return false;
  // One at a time: a second one would remove the lock that was taken after the first had removed the old one.
  const dropping = `${lock}.drop`;
  try {
    await (await open(dropping, 'wx', 0o600)).close();
  } catch {
    if (await isOld(dropping)) await unlink(dropping).catch(() => {});
    return false;
  }
  try {
    if (!(await isLeftBehind(lock))) return false;
    await unlink(lock);
    return true;
  } catch {
    return false;
  } finally {
    await unlink(dropping).catch(() => {});
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  return (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) || (await isOld(lock));
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleAfterMs;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

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
 * Readers see the old text or the new one, also after a crash. Keeps its mode. The
 * caller holds the lock of the file.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => undefined,
    );
    // Replacing a file needs no right to write to it, but a read-only file is meant to stay as it is.
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

/** The first `maxBytes` of a file; undefined when there is none. */
export async function readBytes(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await readFileStart(path, { maxBytes });
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'missing') return undefined;
    throw error;
  }
}

/** Bytes as UTF-8 text; undefined when they are not. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A list in the data directory, kept as `{"KEY": […]}`. */
export interface ListFile<Item> {
  readonly path: (home: string) => string;
  /** A missing or damaged file is an empty list. */
  readonly read: (home: string) => Promise<readonly Item[]>;
  /** Changes of several processes happen one after the other. */
  readonly change: (
    home: string,
    change: (items: readonly Item[]) => readonly Item[],
  ) => Promise<void>;
}

export function listFile<Item>(options: {
  readonly name: string;
  readonly key: string;
  readonly item: z.ZodType<Item>;
}): ListFile<Item> {
  const { name, key, item } = options;
  const schema = z.record(z.literal(key), z.array(item));
  const path = (home: string): string => join(home, name);
  const read = async (home: string): Promise<readonly Item[]> => {
    try {
      const bytes = await readBytes(path(home), maxListBytes);
      const text = bytes && decodeText(bytes);
      return text === undefined ? [] : (schema.parse(JSON.parse(text))[key] ?? []);
    } catch {
      return [];
    }
  };
  return {
    path,
    read,
    change: async (home, change) => {
      const file = path(home);
      await makeFolderFor(file);
      await withFileLock(file, async () => {
        const items = change(await read(home));
        await writeFileAtomically(file, `${JSON.stringify({ [key]: items }, null, 2)}\n`);
      });
    },
  };
}

const maxListBytes = 4_194_304;
