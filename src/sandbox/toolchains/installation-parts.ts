import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isBelow, isOfSystem } from './place-toolchain.ts';
import type { Surroundings } from './surroundings.ts';

/** Package managers whose programs need others of the same store, at the same path. */
const stores = ['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew', '/opt/homebrew'];

export interface Parts {
  readonly parts: readonly string[];
  readonly canMove: boolean;
}

/**
 * What has to be shown of an installation that fills the folder `prefix`. A folder that holds other
 * things as well, such as a home folder, is never shown: then it is `alone` that is.
 */
export function partsOf(
  prefix: string,
  alone: readonly string[],
  surroundings: Surroundings,
): Parts {
  const real = realpathSync(prefix);
  if (isOfSystem(real, surroundings)) return { parts: [], canMove: false };
  const store = stores.find((folder) => isBelow(real, [folder]));
  if (store) return { parts: [store], canMove: false };
  if (isOwnFolder(real, surroundings)) return { parts: [real], canMove: true };
  const parts = alone.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return { parts, canMove: parts.length === 1 };
}

/** Folders that people install into beside other things. */
const sharedNames = new Set(['.local', 'local', 'usr', 'opt', 'home', 'root', '']);

function isOwnFolder(folder: string, { home }: Surroundings): boolean {
  return (
    !sharedNames.has(basename(folder)) &&
    !isBelow(home, [folder]) &&
    dirname(folder) !== '/home' &&
    dirname(folder) !== '/Users'
  );
}
