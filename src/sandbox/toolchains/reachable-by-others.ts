import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const othersRead = 0o004;
const othersExecute = 0o001;

/** True when a user who has nothing to do with us can open the file or list the folder. */
export function reachableByOthers(path: string): boolean {
  try {
    const real = realpathSync(path);
    const { mode } = statSync(real);
    const isOpen = (mode & othersRead) !== 0 && othersMayEnter(dirname(real));
    // The way there by name may lead through other folders than the real one.
    return isOpen && othersMayEnter(dirname(path));
  } catch {
    return false;
  }
}

/** Ends at the root, which is its own parent. */
function othersMayEnter(folder: string): boolean {
  if ((statSync(folder).mode & othersExecute) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || othersMayEnter(parent);
}
