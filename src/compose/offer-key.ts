import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder with more files is not looked through at every start. */
const maxFiles = 500;

/**
 * The cache key for the listing of one of our servers: differs by build of `module`, by settings and by contents of
 * `folder`. Undefined where nothing may be cached: from sources, which change without a new version, and where the
 * folder cannot be read.
 */
export function offerKey(
  module: string,
  settings: readonly unknown[],
  folder?: string,
): string | undefined {
  if (module.endsWith('.ts')) return undefined;
  const builtAt = statSync(fileURLToPath(module)).mtimeMs;
  const contents = folder === undefined ? [] : contentsOf(folder);
  if (!contents) return undefined;
  const text = JSON.stringify([builtAt, settings, contents]);
  return createHash('sha256').update(text).digest('hex');
}

/** Each file with its age and size; empty where there is no such folder. */
function contentsOf(folder: string): readonly string[] | undefined {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    if (names.length > maxFiles) return undefined;
    return names.sort().map((name) => {
      const { mtimeMs, size } = statSync(join(folder, name));
      return `${name} ${mtimeMs} ${size}`;
    });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? [] : undefined;
  }
}
