import { lookupTable } from '../kernel/index.ts';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  statfsSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { DataDirectoryError } from './errors.ts';

const { R_OK, W_OK, X_OK } = constants;
/** Less than this is a full disk: the database alone needs more to begin with. */
const minFreeBytes = 1_048_576;

/**
 * Makes sure that the data directory is there, for its owner alone, and can be written. Every part of the system
 * keeps something in it, so a directory that cannot be used is one error instead of one from each of them.
 */
export function prepareDataDirectory(home: string): void {
  const reason = whyUnusable(home);
  if (reason !== undefined) throw new DataDirectoryError(home, reason);
}

function whyUnusable(home: string): string | undefined {
  try {
    createFolder(home);
    const info = statSync(home);
    if (!info.isDirectory()) return 'it is a file';
    accessSync(home, R_OK | W_OK | X_OK);
    if (isOpenToOthers(info)) return reasons['shared'];
    const { bavail, blocks, bsize } = statfsSync(home);
    // File systems that do not count report no blocks at all.
    return blocks > 0 && bavail * bsize < minFreeBytes ? reasons['ENOSPC'] : undefined;
  } catch (error) {
    const { code, message } = Object(error);
    return reasons[String(code)] ?? String(message);
  }
}

const groupWrites = 0o020;
const othersWrite = 0o002;

/** Trust, tokens and the database are in there. A group with the user's own number is the user's alone. */
function isOpenToOthers({ mode, uid, gid }: Stats): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  const isShared = (mode & groupWrites) !== 0 && gid !== user && gid !== 0;
  return isShared || (mode & othersWrite) !== 0 || (uid !== user && uid !== 0);
}

/** Not `recursive`: that never returns below /proc, and reports a read-only file system as a missing folder. */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it in between.
    if (!existsSync(path)) throw error;
  }
}

const reasons: Readonly<Record<string, string>> = lookupTable({
  shared:
    'other users can write to it, and so decide what Tutti runs ("chmod go-w", or a new directory inside it, helps)',
  EACCES: 'you have no permission to write there',
  EPERM: 'you have no permission to write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  ENOTDIR: 'a part of its path is a file',
  ENOENT: 'it cannot be created there',
});
