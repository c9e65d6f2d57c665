import { recordOf } from '../../../kernel/index.ts';

/** What a trainer sends: JSON lines; the line of a file is followed by its bytes. */
export interface FrameListener {
  event(event: Readonly<Record<string, unknown>>): Promise<void>;
  /** A file begins; pieces follow, then `fileEnded`. */
  file(name: string, bytes: number, sha256: string): Promise<void>;
  piece(bytes: Uint8Array): Promise<void>;
  fileEnded(): Promise<void>;
  /** What is no frame; the trainer is broken or hostile. */
  broken(reason: string): void;
}

/** A line without bytes after it is a report; no report is longer. */
const maxLineBytes = 4 * 1024 * 1024;

/** Reads frames from pieces of output, in order, however they are cut. */
export class FrameReader {
  readonly #listener: FrameListener;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #left = 0;
  #isBroken = false;
  #work: Promise<void> = Promise.resolve();

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  push(bytes: Uint8Array): void {
    this.#work = this.#work.then(() => this.#take(Buffer.from(bytes)));
    // What was thrown is reported by `finished`.
    this.#work.catch(() => this.#break('its output could not be kept'));
  }

  /** Resolves when everything pushed was handled; throws what the listener threw. */
  async finished(): Promise<void> {
    await this.#work;
  }

  async #take(bytes: Buffer): Promise<void> {
    let at = 0;
    while (at < bytes.length && !this.#isBroken) {
      if (this.#left > 0) {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        await this.#listener.piece(piece);
        if (this.#left === 0) await this.#listener.fileEnded();
        continue;
      }
      const end = bytes.indexOf(10, at);
      const part = bytes.subarray(at, end === -1 ? bytes.length : end);
      at += part.length + 1;
      this.#line.push(part);
      this.#lineBytes += part.length;
      if (this.#lineBytes > maxLineBytes) this.#break('a line of its output is too long');
      else if (end !== -1) await this.#endLine();
    }
  }

  async #endLine(): Promise<void> {
    const text = Buffer.concat(this.#line).toString();
    [this.#line, this.#lineBytes] = [[], 0];
    let event: Readonly<Record<string, unknown>>;
    try {
      event = recordOf(JSON.parse(text));
    } catch {
      return this.#break('a line of its output is not JSON');
    }
    if (event['event'] !== 'file') return this.#listener.event(event);
    const { name, bytes, sha256 } = event;
    if (typeof name !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string')
      return this.#break('a file of its output has no name, size or digest');
    if (!Number.isSafeInteger(bytes) || bytes < 0) return this.#break('a file has no size');
    await this.#listener.file(name, bytes, sha256);
    this.#left = bytes;
    if (bytes === 0) await this.#listener.fileEnded();
  }

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#listener.broken(reason);
  }
}
