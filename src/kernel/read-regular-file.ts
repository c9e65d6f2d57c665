import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

export interface FileLimits {
  readonly maxBytes: number;
  /** The file that was opened has to lie in one of these folders, wherever links lead. */
  readonly inside?: readonly string[];
}

/** Why a file is not read; the message is a clause about it, such as "it is a folder". */
export class UnusableFileError extends Error {
  readonly reason: 'missing' | 'special' | 'outside' | 'too_large' | 'unreadable';

  constructor(reason: UnusableFileError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A pipe would otherwise be waited for, which no signal ends, and a terminal would become ours. Windows has neither. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const chunkBytes = 65_536;

/**
 * The bytes of a regular file from an untrusted source: no pipe, device or folder, not more than
 * `maxBytes` however long it says it is, and nothing that a link fetches from elsewhere. Asks the opened file and
 * not its name, which may mean another one by then; where that cannot be asked (outside of Linux), a path whose
 * folder is replaced by a link in that moment is followed. Throws `UnusableFileError`.
 */
export async function readRegularFile(path: string, limits: FileLimits): Promise<Buffer> {
  const { maxBytes } = limits;
  const bytes = await readFileStart(path, { ...limits, maxBytes: maxBytes + 1 });
  if (bytes.length <= maxBytes) return bytes;
  throw new UnusableFileError('too_large', `it is longer than ${maxBytes} bytes`);
}

/** The same for the first `maxBytes` of a file of any length. */
export async function readFileStart(path: string, limits: FileLimits): Promise<Buffer> {
  try {
    const handle = await open(path, openFlags);
    try {
      await assertUsable(handle, path, limits);
      return await readUpTo(handle, limits.maxBytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof UnusableFileError ? error : explain(error);
  }
}

/** Whether a path is a folder or lies in it; looks at nothing but their names. */
export function liesInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function assertUsable(handle: FileHandle, path: string, { inside }: FileLimits) {
  const status = await handle.stat();
  if (status.isDirectory()) throw new UnusableFileError('special', 'it is a folder');
  if (!status.isFile()) throw new UnusableFileError('special', 'it is not a regular file');
  if (inside === undefined) return;
  const isLinux = process.platform === 'linux';
  const real = await (isLinux ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path));
  for (const folder of inside) {
    const realFolder = await realpath(folder).catch(() => undefined);
    if (realFolder !== undefined && liesInside(realFolder, real)) return;
  }
  throw new UnusableFileError('outside', `it is a link that leads out of ${inside.join(', ')}`);
}

/** Reads on until the end or the limit: files may grow, and those of `/proc` say that they are empty. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = maxBytes; left > 0;) {
    const chunk = Buffer.allocUnsafe(Math.min(left, chunkBytes));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}

function explain(error: unknown): UnusableFileError {
  const { code, message }: Partial<NodeJS.ErrnoException> = Object(error);
  const options = { cause: error };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new UnusableFileError('missing', 'there is no such file', options);
  }
  // Sockets, and devices without a driver, cannot be opened at all.
  if (code === 'ENXIO' || code === 'ENODEV') {
    return new UnusableFileError('special', 'it is not a regular file', options);
  }
  const denied = 'you have no permission to read it';
  const said = code === 'EACCES' || code === 'EPERM' ? denied : (message ?? String(error));
  return new UnusableFileError('unreadable', said, options);
}
