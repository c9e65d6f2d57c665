import type { IncomingMessage } from 'node:http';

/** More than an API of containers ever answers at once. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** All of an HTTP answer as text. Throws what `refuse` makes of the reason when it is too long. */
export async function readAnswer(
  answer: IncomingMessage,
  refuse: (reason: string) => Error,
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  // The stream of an HTTP answer without an encoding yields buffers.
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxAnswerBytes) {
      answer.destroy();
      throw refuse(`the answer is longer than ${maxAnswerBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
