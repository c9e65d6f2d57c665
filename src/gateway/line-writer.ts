import type { Readable, Writable } from 'node:stream';

export interface LineWriterOptions {
  readonly output: Writable;
  /** The client's requests, paused while it does not read. */
  readonly input: Readable;
  /** How long output may stay unread before `onUnread` is called. */
  readonly unreadLimitMs: number;
  readonly onUnread: () => void;
}

const flushLimitMs = 1_000;
/** Limit of batched lines; concatenating longer ones costs more than another write. */
const maxHeldLength = 16 * 1024;

/**
 * Writes lines, batched per tick of the event loop: a write to a pipe costs more than building the line. While
 * the client does not read, no further requests are read from it.
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

  /** With `isLast` there is nothing to batch the line with, so it is written at once. */
  write(text: string, isLast = false): void {
    if (!this.#isOpen) return;
    if (this.#lines === '' && !isLast) setImmediate(this.#flush);
    this.#lines += `${text}\n`;
    if (isLast || this.#lines.length > maxHeldLength) this.#flush();
  }

  /** Stops writing and waits, for a limited time, until the output is flushed. */
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
    // The end of a paused input is not noticed, so the pause must be limited.
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
