import { createHash } from 'node:crypto';
import { NotTextError } from './errors.ts';

export const encodings = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be'] as const;
export const lineEndings = ['lf', 'crlf', 'mixed', 'none'] as const;

export type Encoding = (typeof encodings)[number];
export type LineEndings = (typeof lineEndings)[number];

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string;
  readonly encoding: Encoding;
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8-bom', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Decodes UTF-8, or UTF-16 with a byte order mark. Throws `workspace.not_text` for anything else. */
export function decodeText(bytes: Buffer, shown: string): DecodedText {
  const [encoding, mark] = marks.find(([, start]) =>
    start.every((byte, at) => bytes[at] === byte),
  ) ?? ['utf-8' as const, []];
  const label = encoding === 'utf-8-bom' ? 'utf-8' : encoding;
  let text: string;
  try {
    text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(mark.length),
    );
  } catch {
    throw new NotTextError(
      shown,
      'it is binary, or text in an encoding other than UTF-8 and UTF-16',
    );
  }
  if (text.includes('\0')) throw new NotTextError(shown, 'it is binary: it holds NUL characters');
  return { text, encoding };
}

/** The bytes of a text in an encoding, with its byte order mark. A mark in the text is not doubled. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  const mark = Buffer.from(marks.find(([name]) => name === encoding)?.[1] ?? []);
  if (encoding === 'utf-8-bom') return Buffer.concat([mark, Buffer.from(plain, 'utf8')]);
  const body = Buffer.from(plain, 'utf16le');
  return Buffer.concat([mark, encoding === 'utf-16be' ? body.swap16() : body]);
}

export function detectLineEndings(text: string): LineEndings {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  if (all === 0) return 'none';
  if (crlf === 0) return 'lf';
  return crlf === all ? 'crlf' : 'mixed';
}

/** The name of these very bytes, by which a later change says what it was based on. */
export function contentHash(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
