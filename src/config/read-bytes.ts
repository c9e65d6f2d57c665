import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Opening a pipe waits for who writes to it, for ever in the hands of a project. Windows has no such flag. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The first `maxBytes` of a file; undefined when there is none. */
export async function readBytes(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, readWithoutWaiting);
  } catch (error) {
    if (error instanceof Error && 'code' in error && isAbsence(error.code)) return undefined;
    throw error;
  }
  try {
    if ((await handle.stat()).isFIFO()) throw new Error('it is a pipe, not a file');
    const buffer = new Uint8Array(maxBytes);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

function isAbsence(code: unknown): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Bytes as UTF-8 text; undefined when they are not. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
