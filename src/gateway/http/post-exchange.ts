import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Params } from '../../protocol/index.ts';
import type { Origin } from '../answer-request.ts';
import { ConnectionClosedError } from '../errors.ts';
import type { RunningRequest } from '../running-request.ts';
import { EventStream } from './event-stream.ts';
import type { HttpLimits } from './http-limits.ts';
import { respondJson } from './respond.ts';

export interface PostAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * The way back of one POST: plain JSON, or a stream of events as soon as there is something to say
 * before the answer, or when the answer takes so long that a silent connection might be cut.
 */
export class PostExchange {
  readonly #response: ServerResponse;
  readonly #limits: HttpLimits;
  readonly #takesEvents: boolean;
  readonly #transportMeta: Params | undefined;
  readonly #running: RunningRequest[] = [];
  readonly #slow: NodeJS.Timeout | undefined;
  #stream: EventStream | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, limits: HttpLimits) {
    this.#response = response;
    this.#limits = limits;
    this.#takesEvents = accepts(request, 'text/event-stream');
    this.#transportMeta = traceMeta(request);
    response.once('close', () => {
      clearTimeout(this.#slow);
      if (!response.writableFinished) this.#leave();
    });
    if (this.#takesEvents) {
      this.#slow = setTimeout(() => this.#open(), limits.streamHeartbeatMs);
    }
  }

  /** What answering needs to know; what runs is stopped when the client goes away before its answer. */
  get origin(): Origin {
    return {
      send: (text) => {
        if (this.#takesEvents) this.#open().send(text);
        return this.#takesEvents;
      },
      transportMeta: this.#transportMeta,
      attach: (running) => {
        this.#running.push(running);
        if (this.#response.destroyed) this.#leave();
      },
    };
  }

  finish(answer: PostAnswer): void {
    clearTimeout(this.#slow);
    if (!this.#stream) {
      respondJson(this.#response, answer);
      return;
    }
    this.#stream.send(answer.text);
    this.#stream.end();
  }

  /** Ends without an answer: the request was cancelled. */
  abandon(): void {
    clearTimeout(this.#slow);
    if (this.#stream) this.#stream.end();
    else if (!this.#response.headersSent) this.#response.writeHead(202).end();
  }

  #leave(): void {
    for (const running of this.#running) running.abort(new ConnectionClosedError());
  }

  #open(): EventStream {
    this.#stream ??= new EventStream(this.#response, this.#limits);
    return this.#stream;
  }
}

/** What the protocol tells clients to send; looked for first, because nearly all do. */
const usualAccept = 'application/json, text/event-stream';

/** Whether the client takes answers of a media type; who says nothing takes everything. */
export function accepts(
  request: IncomingMessage,
  type: 'application/json' | 'text/event-stream',
): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept === usualAccept) return true;
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim())
    .some((range) => range === type || range === group || range === '*/*');
}

/** The W3C trace headers, for requests that carry no trace context in `_meta`. */
function traceMeta(request: IncomingMessage): Params | undefined {
  const { traceparent, tracestate, baggage } = request.headers;
  if (typeof traceparent !== 'string') return undefined;
  return {
    traceparent,
    ...(typeof tracestate === 'string' && { tracestate }),
    ...(typeof baggage === 'string' && { baggage }),
  };
}
