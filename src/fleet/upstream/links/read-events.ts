import type { IncomingMessage } from 'node:http';
import { ended } from './endings.ts';
import { FloodBrake } from './flood-brake.ts';
import type { HttpLinkLimits } from './http-limits.ts';
import { SseParser, type SseEvent } from './sse-parser.ts';

export interface ReadEventsOptions {
  readonly limits: HttpLinkLimits;
  /** `true` when the event counts as one the server was not asked for. */
  readonly onEvent: (event: SseEvent) => boolean;
  readonly onLongEvent: () => void;
  readonly onFlood: () => void;
  /** From the stream before, when this one goes on behind it. */
  readonly lastEventId?: string | undefined;
}

export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

/** Reads an event stream until it ends or breaks; the caller cannot tell which, and need not. */
export async function readEvents(
  response: IncomingMessage,
  { limits, onEvent, onLongEvent, onFlood, lastEventId }: ReadEventsOptions,
): Promise<StreamEnd> {
  const brake = new FloodBrake(response, limits.flood, onFlood);
  const parser = new SseParser({
    maxEventBytes: limits.message.maxBytes,
    onEvent: (event) => {
      if (onEvent(event)) brake.count(event.data.length);
    },
    onLongEvent,
  });
  response.on('data', (chunk: Buffer) => parser.push(chunk));
  await ended(response);
  brake.release();
  return { lastEventId: parser.lastEventId ?? lastEventId, retryMs: parser.retryMs };
}
