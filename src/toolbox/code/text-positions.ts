/**
 * Converts between offsets and lines/columns from 1, counting UTF-16 units. The table of lines is
 * made when it is first asked for.
 */
export class TextPositions {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get lineCount(): number {
    return this.#lineStarts().length;
  }

  /** The offset of a line and column; places beyond the text become its end. */
  offset(line: number, column: number): number {
    const start = this.#lineStarts()[line - 1];
    const { length } = this.#text;
    return start === undefined ? length : Math.min(start + column - 1, length);
  }

  line(offset: number): number {
    const starts = this.#lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  position(offset: number): { line: number; column: number } {
    const line = this.line(offset);
    return { line, column: offset - (this.#lineStarts()[line - 1] ?? 0) + 1 };
  }

  #lineStarts(): readonly number[] {
    this.#starts ??= lineStartsOf(this.#text);
    return this.#starts;
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

const longLine = 5_000;

/** Engines take quadratic time or memory over the errors on one very long line. */
export function hasLongLine(text: string): boolean {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > longLine) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}

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
