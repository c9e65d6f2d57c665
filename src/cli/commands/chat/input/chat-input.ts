import { addAbortSignal, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { UsageError } from '../../../errors.ts';

/** Where the messages of a chat come from. */
export interface ChatInput {
  /** The next message; undefined when there are no more. Throws `cli.usage` for one that is too long. */
  next(): Promise<string | undefined>;
  /** The line the user types; undefined when they leave the question open. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Does something that the person can cancel: it throws `TurnCancelled` then. */
  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Whether the person left by interrupting, twice. */
  readonly isInterrupted: boolean;
  close(): Promise<void>;
}

/** The person cancelled what ran. */
export class TurnCancelled extends Error {}

const maxLineLength = 1_048_576;

/** Messages from a pipe or a file, line by line. Questions cannot be asked. */
export function openPipeInput(stdin: Readable, signal: AbortSignal): ChatInput {
  const lines = readLines(addAbortSignal(signal, stdin));
  const joined = new MessageLines();
  return {
    next: async () => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) return joined.end();
        const message = joined.push(value);
        if (message !== undefined && message.trim() !== '') return message;
      }
    },
    during: (work) => work(signal),
    isInterrupted: false,
    close: async () => void (await lines.return(undefined)),
  };
}

async function* readLines(input: Readable): AsyncGenerator<string, undefined, undefined> {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  for await (const chunk of input) {
    const pieces = decoder.write(Buffer.from(chunk)).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield withoutReturn(begun + piece);
      begun = '';
    }
    begun += last;
    if (begun.length > maxLineLength) {
      throw new UsageError(`A line takes ${maxLineLength} characters. Attach a file instead`);
    }
  }
  begun += decoder.end();
  if (begun !== '') yield withoutReturn(begun);
  return undefined;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

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
