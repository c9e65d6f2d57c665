import type { TextStream } from './io.ts';

/**
 * Control characters, and characters that are not seen but hide, reorder or fake text: bidirectional controls,
 * zero-width characters, variation selectors, tags, line separators. Those that make an emoji of several
 * characters are let through.
 */
const unprintable =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<![\n\t])(?<!\p{Emoji}\uFE0F)(?<!\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D)/gu;

/**
 * Text that is safe to show: `\u001b` in place of an escape character, and the like. JSON stays the same JSON.
 * Takes each character by itself, so text may come in pieces cut anywhere.
 */
export function printable(text: string): string {
  return text.replaceAll('\r', '').replaceAll(unprintable, escapeCharacter);
}

/** The same on one line, where a second line could pass for something else. */
export function singleLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ');
}

function escapeCharacter(character: string): string {
  // A `u` pattern takes characters above U+FFFF whole; JSON writes them as two units.
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
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
