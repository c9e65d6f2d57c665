import { createHash, randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRunning, type Clock, type FaultPoint } from '../kernel/index.ts';
import { ArtifactNotWrittenError } from './errors.ts';

const folderMode = 0o700;
const fileMode = 0o600;
const idPrefix = 'sha256:';
const idPattern = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/;
const temporaryFolder = 'tmp';
const temporaryPattern = /^(\d{1,10})-[0-9a-f]{16}$/;
/** An unfinished file of a dead process is removed once it has not changed for this long. */
const abandonedMs = 60_000;
/** A folder or an unfinished file may be swept from under a write; that often in a row it is no accident. */
const maxAttempts = 3;

export interface ContentFilesOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** Called before and after each change on disk. */
  readonly reach: FaultPoint;
}

/**
 * Bytes in files named after their digest: `ab/cdef…`.
 *
 * 1. A file appears under its name complete, synced and never changes: it is written elsewhere and renamed.
 * 2. A put of a file that exists refreshes its time, so that it is not collected meanwhile.
 */
export class ContentFiles {
  readonly #options: ContentFilesOptions;
  /** By id: what several ask to be kept at the same time is written once. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: ContentFilesOptions) {
    this.#options = options;
  }

  /** Undefined for what is no id. */
  pathOf(id: string): string | undefined {
    const [, folder, name] = idPattern.exec(id) ?? [];
    if (folder === undefined || name === undefined) return undefined;
    return join(this.#options.directory, folder, name);
  }

  /** Returns when the bytes are on disk under the id that `idOf` gives them. */
  async keep(id: string, content: Uint8Array): Promise<void> {
    const running = this.#writing.get(id);
    if (running) return running;
    const writing = this.#keep(id, content).finally(() => this.#writing.delete(id));
    this.#writing.set(id, writing);
    return writing;
  }

  /** Whether a file of this size is there. Synchronous, to be asked while the index is locked. */
  has(id: string, bytes: number): boolean {
    const path = this.pathOf(id);
    return path !== undefined && statSync(path, { throwIfNoEntry: false })?.size === bytes;
  }

  /** Ids of the files that were neither written nor refreshed since `beforeMs`, in batches. */
  async *olderThan(beforeMs: number, batchSize: number): AsyncGenerator<readonly string[]> {
    let batch: string[] = [];
    for await (const folder of namesIn(this.#options.directory)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for await (const name of namesIn(join(this.#options.directory, folder))) {
        const id = `${idPrefix}${folder}${name}`;
        const path = this.pathOf(id);
        if (path === undefined || (await changedAt(path)) >= beforeMs) continue;
        batch.push(id);
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Removes a file that is still as old; gives the bytes that went. Synchronous, for use under a lock. */
  removeOlder(id: string, beforeMs: number): number | undefined {
    const path = this.pathOf(id);
    const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (path === undefined || !found || found.mtimeMs >= beforeMs) return undefined;
    this.#options.reach('artifact.before-remove');
    rmSync(path, { force: true });
    return found.size;
  }

  /** Removes what writes that were cut off left behind. */
  async sweep(beforeMs: number): Promise<number> {
    const folder = join(this.#options.directory, temporaryFolder);
    let removed = 0;
    for await (const name of namesIn(folder)) {
      const [, pid] = temporaryPattern.exec(name) ?? [];
      if (pid === undefined) continue;
      const path = join(folder, name);
      const limitMs = isRunning(Number(pid)) ? beforeMs : this.#options.clock.now() - abandonedMs;
      if ((await changedAt(path)) >= limitMs) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async #keep(id: string, content: Uint8Array): Promise<void> {
    const path = this.pathOf(id);
    if (path === undefined) throw new Error(`no id of an artifact: ${id}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (this.has(id, content.length) && (await this.#refresh(path))) return;
        return await this.#write(path, content);
      } catch (error) {
        if (isMissing(error) && attempt < maxAttempts) continue;
        throw new ArtifactNotWrittenError(id, path, error);
      }
    }
  }

  /** False when it was collected just now. */
  async #refresh(path: string): Promise<boolean> {
    const seconds = this.#options.clock.now() / 1000;
    return utimes(path, seconds, seconds).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
  }

  async #write(path: string, content: Uint8Array): Promise<void> {
    const { directory, reach, clock } = this.#options;
    const temporary = join(
      directory,
      temporaryFolder,
      `${process.pid}-${randomBytes(8).toString('hex')}`,
    );
    await mkdir(dirname(temporary), { recursive: true, mode: folderMode });
    const isNewFolder =
      (await mkdir(dirname(path), { recursive: true, mode: folderMode })) !== undefined;
    try {
      reach('artifact.before-write');
      const seconds = clock.now() / 1000;
      await withFile(temporary, 'wx', async (file) => {
        await file.writeFile(content);
        await file.utimes(seconds, seconds);
        await file.sync();
      });
      reach('artifact.before-rename');
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
    if (isNewFolder) await syncFolder(directory);
    reach('artifact.after-rename');
  }
}

export function idOf(content: Uint8Array): string {
  return idPrefix + createHash('sha256').update(content).digest('hex');
}

async function withFile(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, fileMode);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** Makes a new name survive the loss of power; Windows has no way to, and needs none. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await withFile(path, 'r', (folder) => folder.sync());
}

/** Nothing where there is no such folder. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (isMissing(error) || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  if (!entries) return;
  for await (const entry of entries) yield entry.name;
}

/** Of a file that is gone: later than anything. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
