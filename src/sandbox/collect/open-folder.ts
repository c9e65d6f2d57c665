import { constants, opendirSync, openSync, type Dir } from 'node:fs';

/** A folder that is open, and its path below the folder where the walk began. */
export interface OpenFolder {
  readonly fd: number;
  readonly path: string;
}

export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other' | 'unknown';
}

/** Names read at a time. */
const namesPerRead = 256;

const folderFlags =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A folder in a folder; undefined when the name is something else, a link included. */
export function openFolder(parent: OpenFolder, name: string): OpenFolder | undefined {
  try {
    const fd = openSync(`/proc/self/fd/${parent.fd}/${name}`, folderFlags);
    return { fd, path: parent.path === '' ? name : `${parent.path}/${name}` };
  } catch {
    return undefined;
  }
}

/**
 * The names in a folder, as long as `mayLook` says yes before each; undefined when whoever filled it has
 * closed it to us.
 */
export function readNames(folder: OpenFolder, mayLook: () => boolean): Iterable<Entry> | undefined {
  try {
    const path = `/proc/self/fd/${folder.fd}/.`;
    return entriesOf(opendirSync(path, { bufferSize: namesPerRead }), mayLook);
  } catch {
    return undefined;
  }
}

function* entriesOf(listing: Dir, mayLook: () => boolean): Generator<Entry> {
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (!mayLook()) return;
      if (entry.isFile()) yield { name: entry.name, kind: 'file' };
      else yield { name: entry.name, kind: entry.isDirectory() ? 'folder' : 'other' };
    }
  } finally {
    listing.closeSync();
  }
}
