import type { OutputPiece } from '../contract/sandbox/index.ts';

export interface OutputOptions {
  /** Of both streams together. */
  readonly maxBytes: number;
  readonly onOutput?: ((piece: OutputPiece) => void) | undefined;
  /** Called once, when more came than may. */
  readonly onFull: () => void;
}

/**
 * What a program writes, bounded. Pieces of both streams are counted in the order in which they were
 * read; what comes after the limit is dropped and never told.
 */
export class Output {
  readonly #options: OutputOptions;
  readonly #kept = { stdout: new GrowingBytes(), stderr: new GrowingBytes() };
  #bytes = 0;
  #pieces = 0;
  #isTruncated = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  add(stream: OutputPiece['stream'], bytes: Uint8Array): void {
    if (this.#isTruncated || bytes.length === 0) return;
    const left = this.#options.maxBytes - this.#bytes;
    const kept = bytes.length <= left ? bytes : bytes.subarray(0, left);
    this.#isTruncated = kept.length < bytes.length;
    if (kept.length > 0) this.#keep(stream, kept);
    if (this.#isTruncated) this.#options.onFull();
  }

  /** All that was kept of one stream. */
  read(stream: OutputPiece['stream']): Uint8Array {
    return this.#kept[stream].read();
  }

  #keep(stream: OutputPiece['stream'], bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#kept[stream].append(bytes);
    this.#options.onOutput?.({ stream, sequence: this.#pieces, bytes });
    this.#pieces += 1;
  }
}

/** Bytes in one block that doubles: a million pieces of one byte must not cost a million objects. */
class GrowingBytes {
  #block = new Uint8Array(0);
  #used = 0;

  append(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#block.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#block.length));
      grown.set(this.#block.subarray(0, this.#used));
      this.#block = grown;
    }
    this.#block.set(bytes, this.#used);
    this.#used = needed;
  }

  read(): Uint8Array {
    return this.#block.subarray(0, this.#used);
  }
}
