import { realpath, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { Attachment } from '../../../contract/agent/index.ts';
import type { Language } from '../../../contract/language/index.ts';
import {
  liesInside,
  lookupTable,
  readRegularFile,
  UnusableFileError,
} from '../../../kernel/index.ts';
import { AttachmentError, OutsideRootsError } from '../../errors.ts';
import type { Io } from '../../io.ts';
import type { System } from '../../../compose/index.ts';

interface MessageWithFiles {
  /** The message with plain paths in place of the mentions. */
  readonly message: string;
  readonly attachments: readonly Attachment[];
}

/**
 * Reads the files a message mentions as `@path`. A folder is named and not read. A lone `@word` that is
 * no file stays as it is, and so does a scoped package (`@scope/name`); what can only be a path and is not there is an error.
 */
export async function attachMentions(text: string, place: Place): Promise<MessageWithFiles> {
  const attachments = new Map<string, Attachment>();
  let message = '';
  let at = 0;
  for (const mention of findMentions(text)) {
    const kind = await kindOf(mention, place);
    if (kind === 'none') continue;
    message += `${text.slice(at, mention.start)}${mention.path}`;
    at = mention.end;
    if (kind === 'folder' || attachments.has(mention.path)) continue;
    if (attachments.size === maxAttachments) {
      throw new AttachmentError(mention.path, `one message takes ${maxAttachments} files`);
    }
    attachments.set(mention.path, await readAttachment(mention.path, place));
  }
  message += text.slice(at);
  return { message: withoutEscapes(message), attachments: [...attachments.values()] };
}

async function kindOf(
  { path, isSure }: Mention,
  place: Place,
): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(await findInside(path, place))).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isSure && !(await isPackage(path, place))) throw error;
    return 'none';
  }
}

/** "@angular/core", unless its first part is a folder here: then it is a path with a slip. */
async function isPackage(path: string, place: Place): Promise<boolean> {
  const [, scope] = /^([a-z0-9][\w.-]*)\/[a-z0-9][\w-]*$/.exec(path) ?? [];
  if (scope === undefined) return false;
  return findInside(scope, place).then(
    () => false,
    () => true,
  );
}

/** `@@word` is how `@word` is written that is no file. */
function withoutEscapes(message: string): string {
  return message.replaceAll(/(?<![^\s([{])@@(?=\S)/g, '@');
}

/** A path that a message names with an `@`, and where in the message that stands. */
interface Mention {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** It can be nothing but a path: quoted, or with a slash or an ending. */
  readonly isSure: boolean;
}

/** `@@`, `@"a path"`, `@path`: each at the beginning or after a blank or an opening bracket. */
const mention =
  /(?<![^\s([{])@(?:(?<escape>@)|"(?<quoted>[^"\n]{1,4096})"|(?<plain>[^\s@"`]{1,4096}))/g;
const codeParts = /```[^]*?(?:```|$)|`[^`\n]*`/g;

/** What a message mentions outside of code: in code an `@` is a decorator or an annotation. */
function findMentions(message: string): readonly Mention[] {
  const code = [...message.matchAll(codeParts)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  const found: Mention[] = [];
  let part = 0;
  for (const match of message.matchAll(mention)) {
    const { escape, quoted, plain = '' } = match.groups ?? {};
    const start = match.index;
    while (part < code.length && (code[part]?.end ?? 0) <= start) part += 1;
    if (escape !== undefined || (code[part]?.start ?? Infinity) <= start) continue;
    const path = quoted ?? withoutPunctuation(plain);
    if (path === '') continue;
    const end = start + (quoted === undefined ? 1 : 3) + path.length;
    const isSure = quoted !== undefined || /[/\\]|\.[^.]/.test(path);
    found.push({ path, start, end, isSure });
  }
  return found;
}

/** A sentence's comma, bracket or full stop is not the file's. */
function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && '.,;:!?)]}'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/** Where files are looked for, and which may be read. */
export interface Place {
  readonly cwd: string;
  readonly roots: readonly string[];
}

/** Longer files do not fit before a model; tools read them by their path. */
const maxAttachmentBytes = 1_048_576;
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
    // Outside the roots, whether a file exists is not disclosed.
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

const languages: Readonly<Record<string, Language>> = lookupTable({
  '.py': 'python',
  '.pyi': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescript',
  '.java': 'java',
  '.go': 'go',
  '.rs': 'rust',
  '.sql': 'sql',
  '.html': 'html',
  '.htm': 'html',
  '.css': 'css',
});

/** The language of files with this ending; undefined for all others. */
function languageOf(ending: string): Language | undefined {
  const known = ending.toLowerCase();
  return Object.hasOwn(languages, known) ? languages[known] : undefined;
}

/** Where this person's files are: the current folder, and what the setting `roots` allows. */
export function placeOf({ settings }: Pick<System, 'settings'>, { cwd }: Io): Place {
  const value = settings.describe().find(({ key }) => key === 'roots')?.value;
  return { cwd, roots: Array.isArray(value) ? value.map(String) : [cwd] };
}
