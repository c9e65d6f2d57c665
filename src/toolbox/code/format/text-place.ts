import { TextPositions } from '../text-positions.ts';

/** A place in a text; both from 1, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The place of a UTF-16 offset; one beyond the text is its end. */
export function placeOfOffset(text: string, offset: number): TextPlace {
  return new TextPositions(text).position(Math.min(Math.max(offset, 0), text.length));
}

/** The place of an offset in the text's UTF-8 bytes, as WASM engines count. */
export function placeOfByte(text: string, byteOffset: number): TextPlace {
  const before = Buffer.from(text).subarray(0, byteOffset).toString('utf8');
  return placeOfOffset(text, before.length);
}

/** The place of an offset in code points, as PostgreSQL counts. */
export function placeOfCodePoint(text: string, codePoints: number): TextPlace {
  let offset = 0;
  for (let index = 0; index < codePoints && offset < text.length; index += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return placeOfOffset(text, offset);
}

/** The place of a line and a byte column in it, both from 1, as Go reports. */
export function placeOfLineAndByte(text: string, line: number, byteColumn: number): TextPlace {
  const positions = new TextPositions(text);
  const start = positions.offset(line, 1);
  const rest = text.slice(start, start + byteColumn);
  const before = Buffer.from(rest)
    .subarray(0, byteColumn - 1)
    .toString('utf8');
  return { line, column: before.length + 1 };
}

/** The place of a line and a code point column in it, both from 1, as Rust programs report. */
export function placeOfLineAndCodePoint(text: string, line: number, column: number): TextPlace {
  const start = new TextPositions(text).offset(line, 1);
  let offset = start;
  for (let index = 1; index < column && offset < text.length; index += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return { line, column: offset - start + 1 };
}
