import { UsageError } from '../../../errors.ts';

/** Longer messages belong in a file, which is attached. */
const maxMessageLength = 1_048_576;

/**
 * Joins typed lines to messages: a line that ends in a backslash goes on in the next, lines between fences
 * (three backticks) belong together, and so do all from `/paste` to `/end`.
 */
export class MessageLines {
  #lines: string[] = [];
  #length = 0;
  #isInFence = false;
  #isInPaste = false;

  /** Whether a message was begun that goes on. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** The message that ends with this line; undefined when it goes on. */
  push(line: string): string | undefined {
    if (this.#isInPaste && line.trim() === '/end') return this.end();
    if (!this.isOpen && /^\/paste(?:\s|$)/.test(line)) this.#isInPaste = true;
    if (!this.#isInPaste && countFences(line) % 2 === 1) this.#isInFence = !this.#isInFence;
    const goesOn = !this.#isInFence && !this.#isInPaste && endsInBackslash(line);
    this.#keep(goesOn ? line.slice(0, -1) : line);
    return goesOn || this.#isInFence || this.#isInPaste ? undefined : this.end();
  }

  /** What has come so far, as a message. */
  end(): string | undefined {
    const message = this.isOpen ? this.#lines.join('\n') : undefined;
    this.clear();
    return message;
  }

  clear(): void {
    this.#lines = [];
    this.#length = 0;
    this.#isInFence = false;
    this.#isInPaste = false;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length <= maxMessageLength) return;
    this.clear();
    throw new UsageError(`A message takes ${maxMessageLength} characters. Attach a file instead`);
  }
}

function countFences(line: string): number {
  return line.split('```').length - 1;
}

/** Two backslashes are one that was meant. */
function endsInBackslash(line: string): boolean {
  let count = 0;
  while (line.at(-1 - count) === '\\') count += 1;
  return count % 2 === 1;
}
