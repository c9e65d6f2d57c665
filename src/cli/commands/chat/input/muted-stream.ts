import { Writable } from 'node:stream';
import type { TextStream } from '../../../io.ts';

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
    if (!this.isMuted) this.#terminal.write(String(chunk));
    done();
  }
}
