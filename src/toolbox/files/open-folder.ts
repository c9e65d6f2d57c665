import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A folder held open, so that what is done to its entries happens in this very folder even when its path
 * leads elsewhere meanwhile.
 */
export interface OpenFolder {
  /** The path by which to reach an entry of the folder. */
  at(name: string): string;
  /** Makes renames and removals in the folder survive power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A component of a path is a symbolic link or no folder. */
export class NotAFolderError extends Error {
  readonly component: string;

  constructor(component: string, reason: string) {
    super(`"${component}" ${reason}`);
    this.component = component;
  }
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens a folder below `root` one component at a time and follows no symbolic link. Gives undefined when it
 * does not exist; with `create` makes what is missing.
 *
 * Where the system has `/proc/self/fd` (Linux) every step starts at the folder opened before: nothing that
 * is swapped meanwhile is followed. Elsewhere each component is checked before it is used, and a component
 * replaced by a link between the two is followed.
 */
export async function openFolder(
  root: string,
  names: readonly string[],
  options: { readonly create?: boolean } = {},
): Promise<OpenFolder | undefined> {
  // A root is the user's own choice and may be a link; nothing below it may.
  let at = await enter(root);
  for (const [index, name] of names.entries()) {
    const next = await enterInner(
      at,
      { name, shown: names.slice(0, index + 1).join('/') },
      options,
    );
    await at.close();
    if (!next) return undefined;
    at = next;
  }
  return at;
}

async function enterInner(
  parent: OpenFolder,
  { name, shown }: { readonly name: string; readonly shown: string },
  { create }: { readonly create?: boolean },
): Promise<OpenFolder | undefined> {
  try {
    if (create === true) {
      await mkdir(parent.at(name)).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    }
    return await enter(parent.at(name), shown);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    await parent.close();
    throw error;
  }
}

async function enter(path: string, shown?: string): Promise<OpenFolder> {
  if (shown !== undefined) {
    const found = await lstat(path);
    if (found.isSymbolicLink()) throw new NotAFolderError(shown, 'is a symbolic link');
    if (!found.isDirectory()) throw new NotAFolderError(shown, 'is not a folder');
  }
  if (!existsSync('/proc/self/fd')) {
    return { at: (name) => join(path, name), sync: async () => {}, close: async () => {} };
  }
  const flags = shown === undefined ? folderFlags & ~constants.O_NOFOLLOW : folderFlags;
  const handle = await open(path, flags).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') throw error;
    throw new NotAFolderError(shown ?? path, `could not be opened (${codeOf(error)})`);
  });
  return {
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

/** The code of a system error such as `ENOENT`; its text when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
