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

/** Writes lines. A client that does not read them is not asked for more requests. */
export class LineWriter {
  readonly #options: LineWriterOptions;
  #isOpen = true;
  #unread: NodeJS.Timeout | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    options.output.on('drain', this.#onDrain);
  }

  write(text: string): void {
    const { output, input, unreadLimitMs, onUnread } = this.#options;
    if (!this.#isOpen || !output.writable || output.write(`${text}\n`)) return;
    input.pause();
    // That the input ended does not show while it is paused, so this must not last for ever.
    this.#unread ??= setTimeout(onUnread, unreadLimitMs);
  }

  /** Writes no more, and waits until what was written has left, but not for who stopped reading. */
  async close(): Promise<void> {
    const { output } = this.#options;
    this.#isOpen = false;
    clearTimeout(this.#unread);
    output.off('drain', this.#onDrain);
    if (output.writableLength > 0 && output.writable) await flushed(output);
  }

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
