import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportError } from '../../../kernel/index.ts';
import type { RequestId } from '../../../protocol/index.ts';
import { AnswerTooLargeError, ExchangeBrokenError } from '../../errors.ts';
import type { LinkListener } from '../link.ts';
import type { HttpLinkLimits } from './http-limits.ts';
import type { MessageDispatcher } from './message-dispatcher.ts';
import { readEvents, type StreamEnd } from './read-events.ts';
import { mediaTypeOf } from './read-response.ts';

export interface AnswerFromEventsOptions {
  readonly server: string;
  readonly id: RequestId;
  readonly signal: AbortSignal;
  readonly limits: HttpLinkLimits;
  readonly listener: LinkListener;
  readonly dispatcher: MessageDispatcher;
  /** Requests the events after the given one. */
  readonly resume: (lastEventId: string) => Promise<IncomingMessage>;
}

/**
 * Delivers the messages of a request's event stream until its response has arrived. A stream that ends earlier
 * is resumed where its events have ids, as long as resuming yields new events.
 */
export async function answerFromEvents(
  first: IncomingMessage,
  options: AnswerFromEventsOptions,
): Promise<void> {
  const { server, signal, limits } = options;
  let response = first;
  let end: StreamEnd = { lastEventId: undefined, retryMs: undefined };
  let emptyResumes = 0;
  for (;;) {
    const stream = await readUntilAnswer(response, options, end);
    if (stream.isAnswered || signal.aborted) return;
    emptyResumes = stream.hasEvents ? 0 : emptyResumes + 1;
    end = { lastEventId: stream.lastEventId, retryMs: stream.retryMs ?? end.retryMs };
    if (end.lastEventId === undefined || emptyResumes > limits.maxResumes) {
      throw new ExchangeBrokenError(server, 'its event stream ended before the response');
    }
    await sleep(end.retryMs ?? limits.firstReconnectDelayMs, undefined, { signal });
    response = await resumed(options, end.lastEventId);
    if (response.statusCode !== 200 || mediaTypeOf(response) !== 'events') {
      response.destroy();
      throw new ExchangeBrokenError(server, 'its event stream ended and could not be resumed');
    }
  }
}

/** The request was sent already, so failures to resume must not be reported as unsent. */
async function resumed(
  { server, signal, resume }: AnswerFromEventsOptions,
  lastEventId: string,
): Promise<IncomingMessage> {
  try {
    return await resume(lastEventId);
  } catch (error) {
    signal.throwIfAborted();
    const { message } = reportError(error);
    throw new ExchangeBrokenError(server, `its event stream ended and was not resumed: ${message}`);
  }
}

interface ReadStream extends StreamEnd {
  readonly isAnswered: boolean;
  /** Whether any event arrived. */
  readonly hasEvents: boolean;
}

async function readUntilAnswer(
  response: IncomingMessage,
  { server, id, signal, limits, listener, dispatcher }: AnswerFromEventsOptions,
  before: StreamEnd,
): Promise<ReadStream> {
  let isAnswered = false;
  let hasEvents = false;
  let tooLarge: Error | undefined;
  let linger: NodeJS.Timeout | undefined;
  const end = await readEvents(response, {
    limits,
    lastEventId: before.lastEventId,
    onEvent: ({ type, data }) => {
      hasEvents = true;
      if (type !== 'message' || data.length === 0 || signal.aborted) return true;
      if (dispatcher.dispatch(data, id) !== 'answer') return true;
      isAnswered = true;
      // The server normally ends the stream now, which frees the connection for reuse; otherwise we end it.
      linger ??= setTimeout(() => response.destroy(), limits.lingerMs);
      return false;
    },
    onLongEvent: () => {
      listener.onProblem('sent a message larger than allowed');
      tooLarge = new AnswerTooLargeError(server, limits.message.maxBytes);
      response.destroy();
    },
    onFlood: () => listener.onProblem('flooded its output and was slowed down'),
  });
  clearTimeout(linger);
  if (tooLarge && !isAnswered) throw tooLarge;
  return { ...end, isAnswered, hasEvents };
}
