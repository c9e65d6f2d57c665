import { open, realpath } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Attachment } from '../../../../contract/agent/index.ts';
import { AttachmentError, OutsideRootsError } from '../../../errors.ts';
import { languageOf } from './language-of.ts';

/** Where files are looked for, and which may be read. */
export interface Place {
  readonly cwd: string;
  readonly roots: readonly string[];
}

/** Longer files do not fit before a model; tools read them by their path. */
export const maxAttachmentBytes = 1_048_576;
export const maxAttachments = 20;

/** The text of a file inside the roots. Throws `cli.attachment_unusable`, `cli.outside_roots`. */
export async function readAttachment(path: string, place: Place): Promise<Attachment> {
  const real = await findInside(path, place);
  const handle = await open(real).catch((error: unknown) => {
    throw new AttachmentError(path, reasonOf(error), { cause: error });
  });
  try {
    const status = await handle.stat();
    if (!status.isFile()) {
      throw new AttachmentError(path, status.isDirectory() ? 'it is a folder' : 'it is no file');
    }
    const bytes = Buffer.alloc(Math.min(status.size, maxAttachmentBytes) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > maxAttachmentBytes) {
      throw new AttachmentError(path, `it is longer than ${maxAttachmentBytes} bytes`);
    }
    return textAttachment(path, bytes.subarray(0, length));
  } finally {
    await handle.close();
  }
}

/** Text that is given along under a name. */
export function textAttachment(name: string, bytes: Uint8Array): Attachment {
  const content = decode(name, bytes);
  const language = languageOf(extname(name));
  return { name, content, ...(language !== undefined && { language }) };
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AttachmentError(name, 'it is not UTF-8 text');
  }
}

/** The path without links, which lies inside a root. */
export async function findInside(path: string, { cwd, roots }: Place): Promise<string> {
  const wanted = resolve(cwd, path);
  const real = await realpath(wanted).catch((error: unknown) => {
    // Whether something is there is nobody's business outside the roots.
    if (!roots.some((root) => isBelow(wanted, resolve(cwd, root)))) {
      throw new OutsideRootsError(path, roots);
    }
    throw new AttachmentError(path, reasonOf(error), { cause: error });
  });
  for (const root of roots) {
    const folder = await realpath(resolve(cwd, root)).catch(() => undefined);
    if (folder !== undefined && isBelow(real, folder)) return real;
  }
  throw new OutsideRootsError(path, roots);
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function reasonOf(error: unknown): string {
  const code: unknown = Object(error).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return error instanceof Error ? error.message : String(error);
}
