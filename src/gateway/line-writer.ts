import type { Readable, Writable } from 'node:stream';

export interface LineWriterOptions {
  readonly output: Writable;
  /** Where the other end's requests come from. */
  readonly input: Readable;
  /** How long what was written may stay unread, until `onUnread` is called. */
  readonly unreadLimitMs: number;
  readonly onUnread: () => void;
}

const flushLimitMs = 1_000;
/** Lines that are held back to be written together; longer ones cost more to put together than to write. */
const maxHeldLength = 16 * 1024;

/**
 * Writes lines, those of one turn of the event loop together: a write to a pipe costs more than
 * making the line. A client that does not read them is not asked for more requests.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  #isOpen = true;
  #lines = '';
  #unread: NodeJS.Timeout | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    options.output.on('drain', this.#onDrain);
  }

  /** With `isLast` no other line is to come that could go with it, so nothing is waited for. */
  write(text: string, isLast = false): void {
    if (!this.#isOpen) return;
    if (this.#lines === '' && !isLast) setImmediate(this.#flush);
    this.#lines += `${text}\n`;
    if (isLast || this.#lines.length > maxHeldLength) this.#flush();
  }

  /** Writes no more, and waits until what was written has left, but not for who stopped reading. */
  async close(): Promise<void> {
    const { output } = this.#options;
    this.#flush();
    this.#isOpen = false;
    clearTimeout(this.#unread);
    output.off('drain', this.#onDrain);
    if (output.writableLength > 0 && output.writable) await flushed(output);
  }

  readonly #flush = (): void => {
    const lines = this.#lines;
    if (lines === '') return;
    this.#lines = '';
    const { output, input, unreadLimitMs, onUnread } = this.#options;
    if (!output.writable || output.write(lines) || !this.#isOpen) return;
    input.pause();
    // That the input ended does not show while it is paused, so this must not last for ever.
    this.#unread ??= setTimeout(onUnread, unreadLimitMs);
  };

  readonly #onDrain = (): void => {
    clearTimeout(this.#unread);
    this.#unread = undefined;
    this.#options.input.resume();
  };
}

async function flushed(output: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, flushLimitMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    output.write('', done);
    output.once('error', done);
  });
}
