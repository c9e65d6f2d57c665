import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkListener } from '../link.ts';
import type { HttpCaller } from './http-caller.ts';
import type { HttpLinkLimits } from './http-limits.ts';
import type { MessageDispatcher } from './message-dispatcher.ts';
import { readEvents, type StreamEnd } from './read-events.ts';
import { mediaTypeOf } from './read-response.ts';

export interface ListenStreamOptions {
  readonly caller: HttpCaller;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: HttpLinkLimits;
  readonly dispatcher: MessageDispatcher;
  readonly listener: LinkListener;
  /** The stream is requested when this has settled. */
  readonly after: Promise<void>;
}

const growth = 2;

/** Keeps the stream for messages outside any request open until it is stopped or refused. */
export class ListenStream {
  readonly #options: ListenStreamOptions;
  readonly #stopping = new AbortController();
  #last: StreamEnd = { lastEventId: undefined, retryMs: undefined };

  constructor(options: ListenStreamOptions) {
    this.#options = options;
    void this.#run();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { firstReconnectDelayMs, maxReconnectDelayMs } = this.#options.limits;
    const { signal } = this.#stopping;
    let delayMs = firstReconnectDelayMs;
    await this.#options.after;
    while (!signal.aborted) {
      const outcome = await this.#listenOnce();
      if (outcome === 'refused') return;
      delayMs =
        outcome === 'heard'
          ? firstReconnectDelayMs
          : Math.min(delayMs * growth, maxReconnectDelayMs);
      await sleep(this.#last.retryMs ?? delayMs, undefined, { signal }).catch(() => {});
    }
  }

  async #listenOnce(): Promise<'heard' | 'nothing' | 'refused'> {
    const { caller, url, headers, limits, dispatcher, listener } = this.#options;
    const { signal } = this.#stopping;
    const { lastEventId } = this.#last;
    let hasEvents = false;
    try {
      const response = await caller.call({
        method: 'GET',
        url,
        headers: {
          ...headers,
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
        signal,
        headLimitMs: limits.headLimitMs,
      });
      const status = response.statusCode ?? 0;
      if (status !== 200 || mediaTypeOf(response) !== 'events') {
        response.destroy();
        return status >= 500 || status === 429 ? 'nothing' : 'refused';
      }
      const end = await readEvents(response, {
        limits,
        lastEventId,
        onEvent: ({ type, data }) => {
          hasEvents = true;
          if (type === 'message' && data.length > 0 && !signal.aborted) dispatcher.dispatch(data);
          return true;
        },
        onLongEvent: () => listener.onProblem('sent a message larger than allowed'),
        onFlood: () => listener.onProblem('flooded its output and was slowed down'),
      });
      this.#last = { ...end, retryMs: end.retryMs ?? this.#last.retryMs };
      return hasEvents ? 'heard' : 'nothing';
    } catch {
      return 'nothing';
    }
  }
}
