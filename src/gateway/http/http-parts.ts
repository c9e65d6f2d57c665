import type { Caller } from '../../contract/caller/index.ts';
import type { HttpExchange, HttpLimits, JsonAnswer, Refusal } from '../../http/index.ts';
import { respondJson } from '../../http/index.ts';
import type { Clock, SharedTimeout } from '../../kernel/index.ts';
import { encodeError, rpcErrorCode, type RpcError } from '../../protocol/index.ts';
import type { Serving } from '../answer-request.ts';

/** Limits of the MCP endpoints, besides those of the listener. */
export interface McpLimits {
  /** Sessions of the handshake era and open `/sse` streams, each. */
  readonly maxSessions: number;
  /** A session unused for so long is dropped; its client opens another. */
  readonly sessionIdleMs: number;
  /** Concurrent requests of the stateless era, of all clients together. */
  readonly maxStatelessRequests: number;
  /** Open `subscriptions/listen` requests. */
  readonly maxSubscriptions: number;
}

export const defaultMcpLimits: McpLimits = {
  maxSessions: 1_000,
  sessionIdleMs: 30 * 60_000,
  maxStatelessRequests: 1_000,
  maxSubscriptions: 1_000,
};

/** What the MCP endpoints share. */
export interface HttpParts {
  readonly serving: Serving;
  readonly limits: HttpLimits & McpLimits;
  readonly clock: Clock;
  /** Without an answer after this time, the response becomes an event stream. */
  readonly slowness: SharedTimeout;
}

/** One HTTP request to an MCP endpoint, and the caller it is made for. */
export interface HttpCall extends HttpExchange {
  readonly caller: Caller;
}

export interface RpcRefusal extends Refusal {
  /** Replaces the plain "invalid request" with `message`. */
  readonly error?: RpcError;
}

/** A refusal as a JSON-RPC error without an id: the request never became a message. */
export function rpcRefusal({ status, message, headers, error }: RpcRefusal): JsonAnswer {
  const shown = error ?? { code: rpcErrorCode.invalidRequest, message };
  return { status, text: encodeError(null, shown), ...(headers && { headers }) };
}

export function refuse({ response }: HttpExchange, refusal: RpcRefusal): void {
  respondJson(response, rpcRefusal(refusal));
}
