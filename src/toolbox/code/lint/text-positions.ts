/** Converts between offsets and lines/columns from 1, counting UTF-16 units. */
export class TextPositions {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
    this.#length = text.length;
  }

  get lineCount(): number {
    return this.#starts.length;
  }

  /** The offset of a line and column; places beyond the text become its end. */
  offset(line: number, column: number): number {
    const start = this.#starts[line - 1];
    return start === undefined ? this.#length : Math.min(start + column - 1, this.#length);
  }

  position(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
