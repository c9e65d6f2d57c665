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
