import type { IncomingMessage } from 'node:http';
import { AnswerTooLargeError, ExchangeBrokenError } from '../../errors.ts';

export type MediaType = 'json' | 'events' | 'other';

export function mediaTypeOf(response: IncomingMessage): MediaType {
  const header = response.headers['content-type'];
  if (header === 'application/json') return 'json';
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  return type === 'text/event-stream' ? 'events' : 'other';
}

/** The whole body. Rejects when it exceeds `maxBytes` or is truncated. */
export function readBody(
  response: IncomingMessage,
  { server, maxBytes }: { readonly server: string; readonly maxBytes: number },
): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    response.on('data', (part: Buffer) => {
      length += part.length;
      parts.push(part);
      if (length <= maxBytes) return;
      reject(new AnswerTooLargeError(server, maxBytes));
      response.destroy();
    });
    let isWhole = false;
    response.on('end', () => {
      isWhole = true;
      resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    });
    const onBroken = (): void => {
      if (!isWhole) reject(new ExchangeBrokenError(server, 'its response was truncated'));
    };
    response.on('error', onBroken);
    response.on('close', onBroken);
  });
}

/** Up to `maxBytes` of a body; the rest is discarded. Never rejects. */
export async function readBeginning(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return await new Promise<Buffer>((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const done = (): void => resolve(Buffer.concat(parts));
    response.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length < maxBytes) return;
      done();
      response.destroy();
    });
    response.once('end', done);
    response.on('error', done);
    response.once('close', done);
  });
}
