import type { FileHandle } from 'node:fs/promises';
import type { CheckedContent } from './content-reader.ts';

/** UTF-8 takes as many bytes for a character at most. */
const maxCharacterBytes = 4;
/** Base64 of parts can be joined when each is made of whole groups. */
const base64GroupBytes = 3;

export interface PageRange {
  readonly offset: number;
  readonly maxBytes: number;
}

export interface PageContent {
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
