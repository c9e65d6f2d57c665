import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { logLimits } from './create-log.ts';

/*
 * Invariants, with any number of processes writing to one path:
 * 1. A line is appended by one write to a file opened for appending, so lines do not mix.
 * 2. Only the holder of the lock file renames. A process that does not get the lock writes on: a file may
 *    grow somewhat beyond the limit, but no line waits and none is lost.
 * 3. Before each line the path is looked up: a process that finds another file there than the one it has open
 *    opens that. A line written between the look and the rename stands in `.1`.
 */

export interface RotatingFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly backupCount: number;
}

interface OpenFile {
  readonly descriptor: number;
  readonly inode: number;
}

/** A text file that is put aside as `.1`, `.2` … when it is full; the oldest goes. */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #open: OpenFile | undefined;
  #isClosed = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Whether the whole line is in the file. */
  append(line: string): boolean {
    if (this.#isClosed) return false;
    try {
      const bytes = Buffer.from(line);
      writeWhole(this.#fileFor(bytes.length).descriptor, bytes);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #fileFor(addedBytes: number): OpenFile {
    const there = lookUp(this.#options.path);
    if (there?.inode !== this.#open?.inode) this.#release();
    if (there && there.size > 0 && there.size + addedBytes > this.#options.maxBytes)
      this.#rotate(addedBytes);
    this.#open ??= openForAppending(this.#options.path);
    return this.#open;
  }

  #rotate(addedBytes: number): void {
    const { path, maxBytes } = this.#options;
    const lockPath = `${path}.lock`;
    if (!takeLock(lockPath)) return;
    try {
      // Another process may have rotated between the look and the lock.
      const there = lookUp(path);
      if (there && there.size + addedBytes > maxBytes) this.#putAside();
      this.#release();
    } finally {
      rmSync(lockPath, { force: true });
    }
  }

  #putAside(): void {
    const { path, backupCount } = this.#options;
    if (backupCount === 0) return rmSync(path, { force: true });
    for (let number = backupCount; number > 0; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (lookUp(from)) renameSync(from, `${path}.${number}`);
    }
  }

  #release(): void {
    if (this.#open) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }
}

function openForAppending(path: string): OpenFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(path, 'a', 0o600);
  return { descriptor, inode: fstatSync(descriptor).ino };
}

function lookUp(path: string): { readonly inode: number; readonly size: number } | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { inode: found.ino, size: found.size };
}

function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch {
    const held = statSync(path, { throwIfNoEntry: false });
    // Removed for the next one to take, not taken: two that find it stale must not both go on.
    if (held && Date.now() - held.mtimeMs > logLimits.staleLockMs) rmSync(path, { force: true });
    return false;
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(descriptor, bytes, written, bytes.length - written);
  }
}
