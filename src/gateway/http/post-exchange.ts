import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../contract/caller/index.ts';
import { accepts, EventStream, respondJson, type JsonAnswer } from '../../http/index.ts';
import type { Wait } from '../../kernel/index.ts';
import type { Params } from '../../protocol/index.ts';
import type { Origin } from '../answer-request.ts';
import { ConnectionClosedError } from '../errors.ts';
import type { RunningRequest } from '../requests-in-flight.ts';
import type { HttpCall, HttpParts } from './http-parts.ts';

/**
 * The response to one POST: plain JSON, or an event stream as soon as there is a message before the result, or when
 * the result takes so long that a silent connection might be closed.
 */
export class PostExchange implements Origin {
  readonly caller: Caller;
  readonly transportMeta: Params | undefined;
  readonly #response: ServerResponse;
  readonly #parts: HttpParts;
  readonly #takesEvents: boolean;
  readonly #slow: Wait | undefined;
  readonly #running: RunningRequest[] = [];
  #stream: EventStream | undefined;

  constructor({ request, response, caller }: HttpCall, parts: HttpParts) {
    this.caller = caller;
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

  /** Aborts the request when the client disconnects before its response. */
  attach(running: RunningRequest): void {
    this.#running.push(running);
    if (this.#response.destroyed) this.#leave();
  }

  finish(answer: JsonAnswer): void {
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
