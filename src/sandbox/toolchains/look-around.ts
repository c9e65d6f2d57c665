import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Folders of small programs that choose a version when they run: they are no toolchain themselves. */
const shimFolder = /\/(?:shims|\.cargo\/bin|\.jenv\/shims)$/;

/** The program in each folder of `PATH`, those of version managers left out. */
export function inSearchPath(surroundings: Surroundings, names: readonly string[]): string[] {
  return surroundings.searchPath
    .filter((folder) => !shimFolder.test(folder))
    .flatMap((folder) => names.map((name) => join(folder, name)));
}

/** `FOLDER/VERSION/REST` for every version there, newest first. */
export function inVersions(folder: string, rest: string): string[] {
  return versionsIn(folder).map((version) => join(folder, version, rest));
}

/** Names in a folder, highest numbers first. */
export function versionsIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted(compareVersions);
  } catch {
    return [];
  }
}

/** Newest first: `3.12.1` before `3.9.18`; names without a number last. */
export function compareVersions(left: string, right: string): number {
  const [leftNumbers, rightNumbers] = [numbersIn(left), numbersIn(right)];
  for (let index = 0; index < Math.max(leftNumbers.length, rightNumbers.length); index += 1) {
    const difference = (rightNumbers[index] ?? -1) - (leftNumbers[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : 1;
}

function numbersIn(name: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(name)?.[0] ?? '').split('.').filter(Boolean).map(Number);
}

/** Where a program really is; a file of the same name in a linked folder is the same program. */
export function placeOf(program: string): string | undefined {
  try {
    if (!existsSync(program)) return undefined;
    // The last link stays: a virtual environment's Python is one, and knows itself by its own path.
    return join(realpathSync(dirname(program)), basename(program));
  } catch {
    return undefined;
  }
}
