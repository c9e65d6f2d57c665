import { Writable } from 'node:stream';
import type { TextStream } from '../../../io.ts';
import { printable } from '../../../printable.ts';

/** What the editor itself writes: cursor movements, erasing, the colours of the prompt. */
const editing = /(\u001B\[\d*[A-DGJKm]|\r)/;

/** Pasted text may hold anything, and the editor writes it as it is. */
function drawn(text: string): string {
  const parts = text.split(editing);
  return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('');
}

/** A terminal that shows nothing of what the line editor draws while something else is on the screen. */
export class MutedStream extends Writable {
  isMuted = false;
  readonly isTTY = true;
  readonly #terminal: TextStream;

  constructor(terminal: TextStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns ?? 0;
  }

  get rows(): number {
    return this.#terminal.rows ?? 0;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    if (!this.isMuted) this.#terminal.write(drawn(String(chunk)));
    done();
  }
}
