import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Wait } from '../../kernel/index.ts';
import type { Params } from '../../protocol/index.ts';
import type { Origin } from '../answer-request.ts';
import { ConnectionClosedError } from '../errors.ts';
import type { RunningRequest } from '../running-request.ts';
import { EventStream } from './event-stream.ts';
import type { HttpCall, HttpParts } from './http-parts.ts';
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
export class PostExchange implements Origin {
  readonly transportMeta: Params | undefined;
  readonly #response: ServerResponse;
  readonly #parts: HttpParts;
  readonly #takesEvents: boolean;
  readonly #slow: Wait | undefined;
  readonly #running: RunningRequest[] = [];
  #stream: EventStream | undefined;

  constructor({ request, response }: HttpCall, parts: HttpParts) {
    this.#response = response;
    this.#parts = parts;
    this.#takesEvents = accepts(request, 'text/event-stream');
    this.transportMeta = traceMeta(request);
    response.on('close', () => {
      this.#hurry();
      if (!response.writableFinished) this.#leave();
    });
    if (this.#takesEvents) this.#slow = parts.slowness.start(() => this.#open());
  }

  send(text: string): boolean {
    if (this.#takesEvents) this.#open().send(text);
    return this.#takesEvents;
  }

  /** What runs is stopped when the client goes away before its answer. */
  attach(running: RunningRequest): void {
    this.#running.push(running);
    if (this.#response.destroyed) this.#leave();
  }

  finish(answer: PostAnswer): void {
    this.#hurry();
    if (!this.#stream) {
      respondJson(this.#response, answer);
      return;
    }
    this.#stream.send(answer.text);
    this.#stream.end();
  }

  /** Ends without an answer: the request was cancelled. */
  abandon(): void {
    this.#hurry();
    if (this.#stream) this.#stream.end();
    else if (!this.#response.headersSent) this.#response.writeHead(202).end();
  }

  #hurry(): void {
    if (this.#slow) this.#parts.slowness.stop(this.#slow);
  }

  #leave(): void {
    for (const running of this.#running) running.abort(new ConnectionClosedError());
  }

  #open(): EventStream {
    this.#stream ??= new EventStream(this.#response, this.#parts.limits);
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
