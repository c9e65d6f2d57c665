import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { isMissing } from './content-files.ts';
import { ArtifactDamagedError } from './errors.ts';

const chunkBytes = 1024 * 1024;
/** Files whose digest need not be computed again as long as they look the same. */
const maxKnown = 1_000;

/** What one full read of a file tells of it. */
interface CheckedContent {
  readonly bytes: number;
  readonly isUtf8: boolean;
}

interface Known extends CheckedContent {
  /** Changes whenever the file does, or is another one. */
  readonly look: string;
}

/** A place and what must be there. */
interface Expected {
  readonly id: string;
  readonly path: string;
}

/** Reads files whose names are their digests. What it gives is what was kept, or it throws. */
export class ContentReader {
  readonly #known = new Map<string, Known>();

  /** All of it, always checked. */
  async readAll(expected: Expected): Promise<Uint8Array> {
    return this.#with(expected, async (file) => {
      const content = await file.readFile();
      const digest = createHash('sha256').update(content).digest('hex');
      if (`sha256:${digest}` !== expected.id) throw changed(expected);
      return content;
    });
  }

  /** Runs `work` on an open file that was checked, by its digest or because nothing touched it since. */
  async read<Result>(
    expected: Expected,
    work: (file: FileHandle, content: CheckedContent) => Promise<Result>,
  ): Promise<Result> {
    return this.#with(expected, async (file) => work(file, await this.#check(file, expected)));
  }

  async #check(file: FileHandle, expected: Expected): Promise<CheckedContent> {
    const { ino, size, mtimeMs, ctimeMs } = await file.stat();
    const look = [ino, size, mtimeMs, ctimeMs].join(' ');
    const known = this.#known.get(expected.id);
    if (known?.look === look) return known;
    const { digest, isUtf8 } = await digestOf(file);
    if (`sha256:${digest}` !== expected.id) throw changed(expected);
    if (this.#known.size >= maxKnown) this.#known.clear();
    const checked = { bytes: size, isUtf8, look };
    this.#known.set(expected.id, checked);
    return checked;
  }

  async #with<Result>(
    expected: Expected,
    work: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> {
    const file = await open(expected.path, 'r').catch((error: unknown) => {
      const reason = isMissing(error)
        ? 'its file is gone'
        : `its file cannot be opened: ${String(error)}`;
      throw new ArtifactDamagedError(expected.id, { path: expected.path, reason });
    });
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }
}

async function digestOf(file: FileHandle): Promise<{ digest: string; isUtf8: boolean }> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let isUtf8 = true;
  const decode = (bytes?: Uint8Array): void => {
    try {
      if (isUtf8) decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      isUtf8 = false;
    }
  };
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    decode(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  decode();
  return { digest: hash.digest('hex'), isUtf8 };
}

function changed({ id, path }: Expected): ArtifactDamagedError {
  return new ArtifactDamagedError(id, { path, reason: 'its bytes are not those that were kept' });
}

/** UTF-8 takes as many bytes for a character at most. */
const maxCharacterBytes = 4;
/** Base64 of parts can be joined when each is made of whole groups. */
const base64GroupBytes = 3;

export interface PageRange {
  readonly offset: number;
  readonly maxBytes: number;
}

interface PageContent {
  readonly offset: number;
  readonly text?: string;
  readonly base64?: string;
  readonly nextOffset: number | null;
}

/**
 * A part of a file. Text is cut between characters: one that `offset` points into is given whole, and
 * at least one is given, so that going on from `nextOffset` always comes to the end.
 */
export async function readPage(
  file: FileHandle,
  content: CheckedContent & { readonly isText: boolean },
  range: PageRange,
): Promise<PageContent> {
  const { bytes, isText } = content;
  const offset = Math.min(Math.max(0, Math.floor(range.offset)), bytes);
  const maxBytes = Math.max(1, Math.floor(range.maxBytes));
  if (!isText) {
    const whole = maxBytes - (maxBytes % base64GroupBytes) || maxBytes;
    const part = await readBytes(file, offset, Math.min(whole, bytes - offset));
    return { offset, base64: part.toString('base64'), ...nextAfter(offset + part.length, bytes) };
  }
  const from = Math.max(0, offset - maxCharacterBytes + 1);
  const until = Math.min(bytes, offset + maxBytes + maxCharacterBytes);
  const part = await readBytes(file, from, until - from);
  const start = startOfCharacter(part, offset - from);
  const cut = startOfCharacter(part, Math.min(start + maxBytes, part.length));
  const end = cut > start ? cut : endOfCharacter(part, start);
  const text = part.toString('utf8', start, end);
  return { offset: from + start, text, ...nextAfter(from + end, bytes) };
}

function nextAfter(end: number, bytes: number): { nextOffset: number | null } {
  return { nextOffset: end < bytes ? end : null };
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

function startOfCharacter(bytes: Uint8Array, index: number): number {
  let start = index;
  while (start > 0 && isContinuation(bytes[start])) start -= 1;
  return start;
}

function endOfCharacter(bytes: Uint8Array, start: number): number {
  let end = Math.min(start + 1, bytes.length);
  while (isContinuation(bytes[end])) end += 1;
  return end;
}

/** Whether a media type is one of text; the bytes have the last word. */
export function isTextType(mediaType: string): boolean {
  const [type = ''] = mediaType.toLowerCase().split(';', 1);
  return /^text\/|\+(?:json|xml|yaml)$|^application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|sql)$/.test(
    type.trim(),
  );
}
