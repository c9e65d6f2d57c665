import type { Caller } from '../../contract/caller/index.ts';
import type { ClientSessionStore } from '../../contract/client-session/index.ts';
import type { Admission, HttpExchange, HttpLimits, JsonAnswer, Refusal } from '../../http/index.ts';
import { respondJson } from '../../http/index.ts';
import type { Clock, Secret, SharedTimeout } from '../../kernel/index.ts';
import { encodeError, rpcErrorCode, type RequestId, type RpcError } from '../../protocol/index.ts';
import type { Reply, Serving } from '../answer-request.ts';

/** Limits of the MCP endpoints, besides those of the listener. */
export interface McpLimits {
  /** Sessions of the handshake era and open `/sse` streams, each. */
  readonly maxSessions: number;
  /** A session unused for so long is closed; its next request opens it again. */
  readonly sessionIdleMs: number;
  /** From `initialize` on; then its client has to open another one. */
  readonly sessionLifetimeMs: number;
  /** Open `subscriptions/listen` requests. */
  readonly maxSubscriptions: number;
}

export const defaultMcpLimits: McpLimits = {
  maxSessions: 1_000,
  sessionIdleMs: 30 * 60_000,
  sessionLifetimeMs: 7 * 24 * 60 * 60_000,
  maxSubscriptions: 1_000,
};

/** What the instances that serve the same clients share. */
export interface SessionSharing {
  readonly store: ClientSessionStore;
  /** From which the key of session ids is derived, the current one first; called on first use. */
  readonly secrets: () => readonly [Secret, ...Secret[]];
}

/** What the MCP endpoints share. */
export interface HttpParts {
  readonly serving: Serving;
  readonly sessions: SessionSharing;
  readonly admission: Admission;
  readonly limits: HttpLimits & McpLimits;
  readonly clock: Clock;
  /** Without an answer after this time, the response becomes an event stream. */
  readonly slowness: SharedTimeout;
  /** Parameters of `WWW-Authenticate` that say where a token is to be had. */
  readonly challenge?: string | undefined;
}

/** One HTTP request to an MCP endpoint, and the caller it is made for. */
export interface HttpCall extends HttpExchange {
  readonly caller: Caller;
}

export interface RpcRefusal extends Refusal {
  /** Replaces the plain "invalid request" with `message`. */
  readonly error?: RpcError;
  /** Of the request, where it became one. */
  readonly id?: RequestId | null;
}

/**
 * The response with a reply. Where the caller's role does not suffice it is a 403 with the challenge that the
 * authorization of MCP asks for; the body is the same JSON-RPC error.
 */
export function answerOf(
  { text, isForbidden = false }: Pick<Reply, 'text' | 'isForbidden'>,
  status: number,
  { challenge }: Pick<HttpParts, 'challenge'>,
): JsonAnswer {
  if (!isForbidden) return { status, text };
  const where = challenge === undefined ? '' : `, ${challenge}`;
  const headers = {
    'www-authenticate': `Bearer realm="tutti", error="insufficient_scope"${where}`,
  };
  return { status: 403, text, headers: { 'content-type': 'application/json', ...headers } };
}

/** A refusal as a JSON-RPC error, without an id where the request never became a message. */
export function rpcRefusal({ status, message, headers, error, id = null }: RpcRefusal): JsonAnswer {
  const shown = error ?? { code: rpcErrorCode.invalidRequest, message };
  return { status, text: encodeError(id, shown), ...(headers && { headers }) };
}

const admissionCodes = {
  429: 'gateway.too_many_requests',
  503: 'gateway.draining',
} as const;

/** Why a call was not begun, for a reason that has nothing to do with the call. */
export function notAdmitted(refused: Refusal, id: RequestId | null = null): RpcRefusal {
  const { status, message } = refused;
  const code = admissionCodes[status === 429 ? status : 503];
  const error = { code: rpcErrorCode.internalError, message, data: { code, details: {} } };
  return { ...refused, error, id };
}

export function refuse({ response }: HttpExchange, refusal: RpcRefusal): void {
  respondJson(response, rpcRefusal(refusal));
}
