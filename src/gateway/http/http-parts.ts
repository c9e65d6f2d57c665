import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, SharedTimeout } from '../../kernel/index.ts';
import type { Serving } from '../answer-request.ts';
import type { HttpLimits } from './http-limits.ts';

/** What the endpoints of one HTTP gateway share. */
export interface HttpParts {
  readonly serving: Serving;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  /** After so long without an answer a stream of events begins. */
  readonly slowness: SharedTimeout;
}

/** One HTTP request with the way to answer it. */
export interface HttpCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The one value of a header, trimmed; undefined when it is absent. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}
