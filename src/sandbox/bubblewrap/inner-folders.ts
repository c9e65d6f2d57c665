import { closeSync, statfsSync } from 'node:fs';
import { workFolder } from '../boot/index.ts';
import { openInside } from './open-inside.ts';

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
    this.work = openInside(first, workFolder);
    this.#others = otherFolders.map((folder) => openInside(first, folder));
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

  close(): void {
    for (const folder of [this.work, ...this.#others]) closeSync(folder);
  }
}

function pathOf(folder: number): string {
  return `/proc/self/fd/${folder}`;
}
