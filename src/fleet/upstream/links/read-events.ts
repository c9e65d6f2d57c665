import type { IncomingMessage } from 'node:http';
import { untilEnded } from './stream-end.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { HttpLinkLimits } from './http-limits.ts';
import { SseParser, type SseEvent } from './sse-parser.ts';

export interface ReadEventsOptions {
  readonly limits: HttpLinkLimits;
  /** `true` when the event is unsolicited and counts towards the rate limit. */
  readonly onEvent: (event: SseEvent) => boolean;
  readonly onLongEvent: () => void;
  readonly onFlood: () => void;
  /** From the previous stream, when this one resumes it. */
  readonly lastEventId?: string | undefined;
}

export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

/** Reads an event stream until it ends or breaks; callers treat both alike. */
export async function readEvents(
  response: IncomingMessage,
  { limits, onEvent, onLongEvent, onFlood, lastEventId }: ReadEventsOptions,
): Promise<StreamEnd> {
  const rateLimiter = new RateLimiter(response, limits.rate, onFlood);
  const parser = new SseParser({
    maxEventBytes: limits.message.maxBytes,
    onEvent: (event) => {
      if (onEvent(event)) rateLimiter.count(event.data.length);
    },
    onLongEvent,
  });
  response.on('data', (chunk: Buffer) => parser.push(chunk));
  await untilEnded(response);
  rateLimiter.release();
  return { lastEventId: parser.lastEventId ?? lastEventId, retryMs: parser.retryMs };
}
