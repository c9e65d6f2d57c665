import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../kernel/index.ts';

const tokenBytes = 32;
const tokenPattern = /^[\w-]{43}$/;
const othersMayReadOrWrite = 0o077;

export interface ServeToken {
  readonly file: string;
  readonly token: Secret;
}

/**
 * The token of `tutti serve` where none is configured: made once, kept in the data directory, readable by its owner alone. One that others
 * may have read is replaced.
 */
export function openServeToken(home: string): ServeToken {
  const file = join(home, 'serve-token');
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

function readPrivate(file: string): string | undefined {
  const info = lstatSync(file, { throwIfNoEntry: false });
  const isPrivate =
    process.platform === 'win32' || ((info?.mode ?? 0) & othersMayReadOrWrite) === 0;
  if (!info?.isFile() || !isPrivate) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  return tokenPattern.test(text) ? text : undefined;
}
