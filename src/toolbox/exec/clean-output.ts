/** What a terminal would not show as text: C0 but tab and line feed, delete, C1. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** A string for the terminal that is longer than this has no end: what follows is text again. */
const maxStringLength = 4_096;

type State =
  | 'text'
  /** After ESC. */
  | 'escape'
  /** After ESC and an intermediate character, as in `ESC ( B`. */
  | 'intermediate'
  /** Parameters of a control sequence: `ESC [ 1 ; 31 m`. */
  | 'sequence'
  /** A string for the terminal: title, clipboard, link (`ESC ] … BEL`), device control and the like. */
  | 'string'
  /** An ESC inside such a string: its end if a backslash follows. */
  | 'string-escape';

/**
 * Turns what a program wrote into text that nothing can be hidden in or done with: bytes that are
 * not UTF-8 become U+FFFD, escape sequences and control characters go, `\r\n` and `\r` become `\n`.
 * Takes the output in pieces, cut anywhere, in linear time; never gives more characters than it got
 * bytes.
 */
export class OutputCleaner {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'text';
  #stringLength = 0;
  #endedInReturn = false;

  push(bytes: Uint8Array): string {
    return this.#clean(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What a character cut off at the very end becomes. */
  end(): string {
    return this.#clean(this.#decoder.decode());
  }

  #clean(text: string): string {
    if (this.#state === 'text' && !this.#endedInReturn && !control.test(text)) return text;
    const kept: string[] = [];
    let start = 0;
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (this.#state === 'text' && !this.#endedInReturn && isShown(code)) {
        at += 1;
        continue;
      }
      if (at > start) kept.push(text.slice(start, at));
      const given = this.#take(code);
      if (given !== '') kept.push(given);
      at += 1;
      start = at;
    }
    if (at > start) kept.push(text.slice(start, at));
    return kept.join('');
  }

  /** One character that is not plain text, or comes after one that was not. */
  #take(code: number): string {
    switch (this.#state) {
      case 'text':
        return this.#takeText(code);
      case 'escape':
        return this.#takeEscape(code);
      case 'intermediate':
        if (code >= 0x20 && code <= 0x2f) return '';
        return this.#endSequence(code, 0x30);
      case 'sequence':
        if (code >= 0x20 && code <= 0x3f) return '';
        return this.#endSequence(code, 0x40);
      case 'string':
        return this.#takeString(code);
      case 'string-escape':
        this.#state = code === 0x5c ? 'text' : 'escape';
        return this.#state === 'text' ? '' : this.#takeEscape(code);
    }
  }

  #takeText(code: number): string {
    const isAfterReturn = this.#endedInReturn;
    this.#endedInReturn = code === 0x0d;
    if (code === 0x0d) return '\n';
    if (code === 0x0a && isAfterReturn) return '';
    if (isShown(code)) return String.fromCharCode(code);
    if (code === 0x1b) this.#state = 'escape';
    else if (code === 0x9b) this.#state = 'sequence';
    else if (isStringStart(code - 0x40)) this.#startString();
    return '';
  }

  #takeEscape(code: number): string {
    if (code === 0x5b) this.#state = 'sequence';
    else if (isStringStart(code)) this.#startString();
    else if (code >= 0x20 && code <= 0x2f) this.#state = 'intermediate';
    else return this.#endSequence(code, 0x30);
    return '';
  }

  /** The last character of a sequence goes with it; one that cannot be part of it is text. */
  #endSequence(code: number, first: number): string {
    this.#state = 'text';
    return code >= first && code <= 0x7e ? '' : this.#takeText(code);
  }

  #takeString(code: number): string {
    this.#stringLength += 1;
    // A bell or the string terminator ends it, CAN and SUB break it off.
    const isEnd = code === 0x07 || code === 0x9c || code === 0x18 || code === 0x1a;
    if (code === 0x1b) this.#state = 'string-escape';
    else if (isEnd) this.#state = 'text';
    else if (code === 0x0a || this.#stringLength > maxStringLength) {
      this.#state = 'text';
      return this.#takeText(code);
    }
    return '';
  }

  #startString(): void {
    this.#state = 'string';
    this.#stringLength = 0;
  }
}

/** The whole output of a program as clean text. */
export function cleanOutput(bytes: Uint8Array): string {
  const cleaner = new OutputCleaner();
  return cleaner.push(bytes) + cleaner.end();
}

/** Whether a program wrote something else than text: it holds NULs, or much of it is no UTF-8. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, binarySampleBytes);
  if (start.includes(0)) return true;
  const text = new TextDecoder().decode(start);
  let broken = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) broken += 1;
  return broken > text.length / 10;
}

const binarySampleBytes = 64 * 1024;

function isShown(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || code > 0x9f || code === 0x0a || code === 0x09;
}

/** DCS, SOS, OSC, PM and APC by the character that follows ESC. */
function isStringStart(code: number): boolean {
  return code === 0x50 || code === 0x58 || code === 0x5d || code === 0x5e || code === 0x5f;
}
