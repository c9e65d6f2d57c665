/** One line without its end, or the news that a line was longer than allowed. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'too_long' };

const newline = 0x0a;

/** Cuts a stream of chunks into lines. Holds at most `maxBytes` of an unfinished line. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: Line) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #isSkipping = false;

  constructor(maxBytes: number, onLine: (line: Line) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end === -1) break;
      this.#add(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The stream ended: what is left is a line too. */
  end(): void {
    if (this.#length > 0 || this.#isSkipping) this.#finishLine();
  }

  #add(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#isSkipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }

  #finishLine(): void {
    const parts = this.#parts;
    const wasSkipping = this.#isSkipping;
    this.#parts = [];
    this.#length = 0;
    this.#isSkipping = false;
    if (wasSkipping) {
      this.#onLine({ kind: 'too_long' });
      return;
    }
    const [first] = parts;
    if (first) {
      this.#onLine({ kind: 'line', bytes: parts.length === 1 ? first : Buffer.concat(parts) });
    }
  }
}
