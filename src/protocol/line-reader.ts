/** The kept ends of a line over the limit. */
export interface LongLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Bytes kept of each end of a line over `maxBytes`. */
  readonly keptBytes: number;
  /** Without the line end. The bytes are valid only until the call returns. */
  readonly onLine: (bytes: Buffer) => void;
  readonly onLongLine: (line: LongLine) => void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

/** Splits chunks into lines; empty ones are skipped. Buffers at most `maxBytes` of an unfinished line. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  /** Set while the current line is over the limit: then only its ends are kept. */
  #long: LongLine | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end === -1) break;
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === 0) this.#hold(chunk);
    else if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The stream ended: the rest is a line, too. True when there was a rest. */
  end(): boolean {
    const hasRest = this.#length > 0 || this.#long !== undefined;
    if (hasRest) this.#finish(nothing);
    return hasRest;
  }

  #finish(last: Buffer): void {
    if (this.#length === 0 && this.#long === undefined && last.length <= this.#options.maxBytes) {
      this.#emit(last);
      return;
    }
    this.#hold(last);
    const long = this.#long;
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    this.#long = undefined;
    if (long) this.#options.onLongLine(long);
    else this.#emit(Buffer.concat(parts));
  }

  #emit(bytes: Buffer): void {
    const { length } = bytes;
    const line = bytes[length - 1] === carriageReturn ? bytes.subarray(0, length - 1) : bytes;
    if (line.length > 0) this.#options.onLine(line);
  }

  #hold(part: Buffer): void {
    const { maxBytes, keptBytes } = this.#options;
    if (this.#long) {
      this.#long = { head: this.#long.head, tail: tailOf([this.#long.tail, part], keptBytes) };
      return;
    }
    this.#length += part.length;
    this.#parts.push(part);
    if (this.#length <= maxBytes) return;
    const head = Buffer.concat(this.#parts, Math.min(this.#length, keptBytes));
    this.#long = { head, tail: tailOf(this.#parts, keptBytes) };
    this.#parts = [];
    this.#length = 0;
  }
}

/** A copy, so that the chunks can be freed. */
function tailOf(parts: readonly Buffer[], keptBytes: number): Buffer {
  const ends: Buffer[] = [];
  let length = 0;
  for (let at = parts.length - 1; at >= 0 && length < keptBytes; at -= 1) {
    const part = parts[at]?.subarray(-(keptBytes - length)) ?? nothing;
    ends.unshift(part);
    length += part.length;
  }
  return Buffer.concat(ends);
}
