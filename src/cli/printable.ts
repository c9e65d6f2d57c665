import { Writable } from 'node:stream';
import { escapeLine, escapeUnseen } from '../kernel/index.ts';
import type { TextStream } from './io.ts';

/** `escapeUnseen` without the returns of files from Windows, which would overwrite what was written. */
export function printable(text: string): string {
  return escapeUnseen(text.replaceAll('\r', ''));
}

/** The same on one line, where a second line could pass for something else. */
export function singleLine(text: string): string {
  return escapeLine(text.replaceAll('\r', ''));
}

/**
 * Begins an escape sequence of our own, which `printableStream` lets through. It differs from process to process,
 * so no text from elsewhere contains it.
 */
export const ownEscape = `\u001B${crypto.randomUUID()}`;

/** Takes the line of the cursor off the screen. */
export const clearLine = `${ownEscape}[2K${ownEscape}[G`;

/** `printable` text with our own escape sequences in it, as a terminal takes it. */
export function toTerminal(text: string): string {
  return text.split(ownEscape).map(printable).join('\u001B');
}

/** A stream to which nothing but printable text and our own escape sequences can be written. */
export function printableStream(stream: TextStream): TextStream {
  return {
    write: (text) => stream.write(toTerminal(text)),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
  };
}

/** The same for lines of a protocol, which a person at a terminal reads. JSON stays the same JSON. */
export function printableWritable(stream: TextStream): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      stream.write(printable(String(text)));
      done();
    },
  });
}
