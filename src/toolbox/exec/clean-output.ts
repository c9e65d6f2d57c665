/**
 * Text that a terminal does not show: control sequences (`ESC [ 1 ; 31 m`), strings for the terminal such as titles, links
 * and clipboard writes (`ESC ] … BEL`; a line feed is never part of one), other escapes (`ESC ( B`), returns, and control
 * characters but tab and line feed. A sequence or string over 4,096 characters has no end: the rest of it is text.
 */
const hidden =
  /(?:\x1b\[|\x9b)[\x20-\x3f]{0,4096}[\x40-\x7e]?|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x0a\x18\x1a\x1b\x9c]{0,4096}(?:[\x07\x18\x1a\x9c]|\x1b\\)?|\x1b[\x20-\x2f]{0,4096}[\x30-\x7e]?|\r\n?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** One of these at the end of a piece may continue in the next piece. */
const unfinished =
  /^(?:\r|\x1b[\x20-\x2f]{0,4095}|(?:\x1b\[|\x9b)[\x20-\x3f]{0,4095}|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]{0,4095})$/;

/**
 * Turns program output into plain text: bytes that are not UTF-8 become U+FFFD, escape sequences and control characters
 * are removed, `\r\n` and `\r` become `\n`. Takes the output in pieces, cut anywhere, in linear time; never returns more
 * characters than it got bytes.
 */
export class OutputCleaner {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** A sequence that the last piece began. */
  #unfinished = '';

  push(bytes: Uint8Array): string {
    const text = this.#unfinished + this.#decoder.decode(bytes, { stream: true });
    this.#unfinished = '';
    return text.replaceAll(hidden, (match, at: number) => {
      if (at + match.length < text.length || !unfinished.test(match)) return shown(match);
      this.#unfinished = match;
      return '';
    });
  }

  /** The rest: a character or sequence cut off at the very end. */
  end(): string {
    return (this.#unfinished + this.#decoder.decode()).replaceAll(hidden, shown);
  }
}

function shown(sequence: string): string {
  return sequence.startsWith('\r') ? '\n' : '';
}

/** All output of a program as clean text. */
export function cleanOutput(bytes: Uint8Array): string {
  const cleaner = new OutputCleaner();
  return cleaner.push(bytes) + cleaner.end();
}

const binarySampleBytes = 64 * 1024;

/** Whether output is not text: it contains NULs, or more than a tenth of it is not UTF-8. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, binarySampleBytes);
  if (start.includes(0)) return true;
  const text = new TextDecoder().decode(start);
  return text.split('\ufffd').length - 1 > text.length / 10;
}
