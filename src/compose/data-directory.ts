import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/index.ts';
import { lookupTable, Secret } from '../kernel/index.ts';
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

const tokenBytes = 32;
const tokenPattern = /^[\w-]{43}$/;
const othersMayReadOrWrite = 0o077;

interface PrivateToken {
  readonly file: string;
  readonly token: Secret;
}

/**
 * A random secret, such as the token of `tutti serve` where none is configured: made once, kept in the data directory, readable by its owner
 * alone. One that others may have read is replaced.
 */
export function openPrivateToken(home: string, name: 'serve-token' | 'login-key'): PrivateToken {
  const file = join(home, name);
  const text = readPrivate(file);
  if (text !== undefined) return { file, token: new Secret(text) };
  rmSync(file, { force: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(tokenBytes).toString('base64url')}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  try {
    // Whole or not at all; of two processes that start at once the first one's counts.
    linkSync(draft, file);
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return { file, token: new Secret(readPrivate(file) ?? '') };
}

/** From which keys are derived that instances of one data directory, or with one `secret_key`, share; the current one first. */
export function sealingSecrets({
  home,
  secret_key: current,
  previous_secret_keys: previous,
}: Pick<Settings, 'home' | 'secret_key' | 'previous_secret_keys'>): [Secret, ...Secret[]] {
  return [current ?? openPrivateToken(home, 'login-key').token, ...previous];
}

/** The text of a file of one's own; undefined where others may read it. */
export function readPrivate(file: string): string | undefined {
  const info = lstatSync(file, { throwIfNoEntry: false });
  const isPrivate =
    process.platform === 'win32' || ((info?.mode ?? 0) & othersMayReadOrWrite) === 0;
  if (!info?.isFile() || !isPrivate) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  return tokenPattern.test(text) ? text : undefined;
}
