import { constants, openSync, readFileSync } from 'node:fs';

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A folder of a sandbox, as a file descriptor that stays readable when everything inside is dead.
 * `first` is the host's pid of the first process inside. Its root may be closed to who is not root, since
 * it has entered its user namespace; that of the program, its child, is not.
 */
export function openInside(first: number, folder: string): number {
  try {
    return openSync(`/proc/${first}/root${folder}`, flags);
  } catch {
    const program = readFileSync(`/proc/${first}/task/${first}/children`, 'latin1').trim();
    return openSync(`/proc/${program}/root${folder}`, flags);
  }
}
