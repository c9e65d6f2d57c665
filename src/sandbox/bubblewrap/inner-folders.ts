import {
  close,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { workFolder } from '../boot/boot.ts';

const closeInBackground = promisify(close);

/** Folders that a program can fill, besides its work folder. */
const otherFolders = ['/tmp', '/dev/shm'];

/** In `linux/magic.h`. */
const typeOfTmpfs = 0x01021994;

/** What the kernel spends on a file besides its content. */
const bytesPerFile = 1024;

/**
 * The writable folders of a sandbox, held open: they stay readable when everything inside is dead, and
 * are gone with the last who holds them.
 */
export class InnerFolders {
  readonly work: number;
  readonly #others: readonly number[];
  readonly #maxBytes: number;

  /** `first` is the host's pid of the first process inside. */
  constructor(first: number, maxBytes: number) {
    const [work, ...others] = openAll(first, [workFolder, ...otherFolders]);
    this.work = work;
    this.#others = others;
    this.#maxBytes = maxBytes;
  }

  /**
   * Whether there is no room left in the work folder, or so many files were made, with or without
   * content, that the kernel needs more than that room for them: their number itself has no limit.
   */
  isFull(): boolean {
    const { bfree, blocks, files, ffree } = statfsSync(pathOf(this.work));
    if (blocks > 0 && bfree === 0) return true;
    const others = this.#others
      .map((folder) => statfsSync(pathOf(folder)))
      .filter(({ type }) => type === typeOfTmpfs);
    const count = others.reduce((sum, one) => sum + one.files - one.ffree, files - ffree);
    return blocks > 0 && count * bytesPerFile > this.#maxBytes;
  }

  /** Of the file systems that they are. */
  devices(): number[] {
    return [this.work, ...this.#others].map((folder) => fstatSync(folder).dev);
  }

  /** Memory that files take. */
  usedBytes(): number {
    return [this.work, ...this.#others]
      .map((folder) => statfsSync(pathOf(folder)))
      .filter(({ type }) => type === typeOfTmpfs)
      .reduce((sum, { blocks, bfree, bsize }) => sum + (blocks - bfree) * bsize, 0);
  }

  /**
   * The last close of a folder deletes all that is in it, which may take seconds: a thread of its own does
   * that, so that the event loop does not wait.
   */
  async close(): Promise<void> {
    await Promise.all([this.work, ...this.#others].map((folder) => closeInBackground(folder)));
  }
}

/** All or none: the sandbox may end in the middle. */
function openAll(
  first: number,
  [work, ...others]: readonly [string, ...string[]],
): [number, ...number[]] {
  const opened: [number, ...number[]] = [openInside(first, work)];
  try {
    for (const folder of others) opened.push(openInside(first, folder));
    return opened;
  } catch (error) {
    for (const folder of opened) closeSync(folder);
    throw error;
  }
}

function pathOf(folder: number): string {
  return `/proc/self/fd/${folder}`;
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A folder of a sandbox, as a file descriptor that stays readable when everything inside is dead.
 * `first` is the host's pid of the first process inside. Its root may be closed to other users than root, since
 * it has entered its user namespace; that of the program, its child, is not.
 */
function openInside(first: number, folder: string): number {
  try {
    return openSync(`/proc/${first}/root${folder}`, flags);
  } catch {
    const program = readFileSync(`/proc/${first}/task/${first}/children`, 'latin1').trim();
    return openSync(`/proc/${program}/root${folder}`, flags);
  }
}
