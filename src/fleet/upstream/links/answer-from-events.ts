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
  /** Asks for what came behind an event. */
  readonly resume: (lastEventId: string) => Promise<IncomingMessage>;
}

/**
 * Delivers what comes on a request's stream until its answer has come. A stream that ends before is
 * resumed where the server marked its events, as often as that brings something new.
 */
export async function answerFromEvents(
  first: IncomingMessage,
  options: AnswerFromEventsOptions,
): Promise<void> {
  const { server, signal, limits } = options;
  let response = first;
  let end: StreamEnd = { lastEventId: undefined, retryMs: undefined };
  let fruitless = 0;
  for (;;) {
    const stream = await readUntilAnswer(response, options, end);
    if (stream.isAnswered || signal.aborted) return;
    fruitless = stream.isFruitful ? 0 : fruitless + 1;
    end = { lastEventId: stream.lastEventId, retryMs: stream.retryMs ?? end.retryMs };
    if (end.lastEventId === undefined || fruitless > limits.maxResumes) {
      throw new ExchangeBrokenError(server, 'its event stream ended before the answer');
    }
    await sleep(end.retryMs ?? limits.firstReconnectDelayMs, undefined, { signal });
    response = await resumed(options, end.lastEventId);
    if (response.statusCode !== 200 || mediaTypeOf(response) !== 'events') {
      response.destroy();
      throw new ExchangeBrokenError(server, 'its event stream ended and could not be resumed');
    }
  }
}

/** What fails here fails after the request was sent, so that no failure says that it was not. */
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
  /** Whether anything came. */
  readonly isFruitful: boolean;
}

async function readUntilAnswer(
  response: IncomingMessage,
  { server, id, signal, limits, listener, dispatcher }: AnswerFromEventsOptions,
  before: StreamEnd,
): Promise<ReadStream> {
  let isAnswered = false;
  let isFruitful = false;
  let tooLarge: Error | undefined;
  let linger: NodeJS.Timeout | undefined;
  const end = await readEvents(response, {
    limits,
    lastEventId: before.lastEventId,
    onEvent: ({ type, data }) => {
      isFruitful = true;
      if (type !== 'message' || data.length === 0 || signal.aborted) return true;
      if (dispatcher.dispatch(data, id) !== 'answer') return true;
      isAnswered = true;
      // The server ends the stream now, and the connection can be used again; if not, we end it.
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
  return { ...end, isAnswered, isFruitful };
}
