import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

/** More than an API of containers ever answers at once. */
const maxAnswerBytes = 8 * 1024 * 1024;
const maxReasonCharacters = 300;

const errorBody = z.looseObject({ message: z.string() });

/** Reads an HTTP answer as text. Throws `tooLong(reason)` when it exceeds the limit. */
export async function readAnswer(
  answer: IncomingMessage,
  tooLong: (reason: string) => Error,
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  // The stream of an HTTP answer without an encoding yields buffers.
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxAnswerBytes) {
      answer.destroy();
      throw tooLong(`the answer is longer than ${maxAnswerBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** The `message` of an error that is JSON, else the start of the text. */
export function errorMessage(text: string): string {
  try {
    return errorBody.parse(JSON.parse(text)).message.trim();
  } catch {
    return text.slice(0, maxReasonCharacters).trim();
  }
}
