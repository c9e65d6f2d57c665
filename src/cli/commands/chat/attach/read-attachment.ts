import { realpath } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { Attachment } from '../../../../contract/agent/index.ts';
import { liesInside, readRegularFile, UnusableFileError } from '../../../../kernel/index.ts';
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
  const { cwd, roots } = place;
  const inside = roots.map((root) => resolve(cwd, root));
  const limits = { maxBytes: maxAttachmentBytes, inside };
  try {
    return textAttachment(path, await readRegularFile(await findInside(path, place), limits));
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    throw new AttachmentError(path, error.message, { cause: error });
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
    if (!roots.some((root) => liesInside(resolve(cwd, root), wanted))) {
      throw new OutsideRootsError(path, roots);
    }
    throw new AttachmentError(path, reasonOf(error), { cause: error });
  });
  for (const root of roots) {
    const folder = await realpath(resolve(cwd, root)).catch(() => undefined);
    if (folder !== undefined && liesInside(folder, real)) return real;
  }
  throw new OutsideRootsError(path, roots);
}

function reasonOf(error: unknown): string {
  const code: unknown = Object(error).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return error instanceof Error ? error.message : String(error);
}
