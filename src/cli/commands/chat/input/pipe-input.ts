import { StringDecoder } from 'node:string_decoder';
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '../../../errors.ts';
import type { ChatInput } from './chat-input.ts';
import { MessageLines } from './message-lines.ts';

const maxLineLength = 1_048_576;

/** Messages from a pipe or a file, line by line. Nobody is there to be asked. */
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
