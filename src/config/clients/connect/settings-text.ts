import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConnectionScope } from '../../../contract/client-connection/index.ts';
import { liesInside } from '../../../kernel/index.ts';
import { ClientFileError } from '../../errors.ts';
import { readBytes } from '../../read-bytes.ts';
import { realFile } from '../../write-file-atomically.ts';

/** Claude Code keeps its history in the same file, so it may be large. */
const maxBytes = 33_554_432;

/** The text of a settings file with its byte order mark; undefined when there is no file. */
export async function readSettingsText(file: string): Promise<string | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(file, maxBytes + 1);
  } catch (error) {
    throw new ClientFileError(file, error instanceof Error ? error.message : String(error));
  }
  if (bytes === undefined) return undefined;
  if (bytes.length > maxBytes)
    throw new ClientFileError(file, `it is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ClientFileError(file, 'it is not UTF-8 text');
  }
}

/**
 * The file that is written. The user's own links (dotfiles) are followed; a project is foreign, so its
 * links must not lead out of it.
 */
export async function realTarget(
  file: string,
  scope: ConnectionScope,
  project: string,
): Promise<string> {
  if (scope === 'user') return realFile(file, 'user');
  const isLink = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (isLink)
    throw new ClientFileError(file, 'it is a link, and links of a project are not followed');
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!liesInside(await realpath(project), await realpath(folder))) {
    throw new ClientFileError(file, 'its folder is a link that leads out of the project');
  }
  return file;
}
