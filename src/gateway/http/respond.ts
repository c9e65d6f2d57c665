import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { encodeError, rpcErrorCode, type RpcError } from '../../protocol/index.ts';

/** Sends one JSON text as the whole answer. */
export function respondJson(
  response: ServerResponse,
  answer: {
    readonly status: number;
    readonly text: string;
    readonly headers?: OutgoingHttpHeaders;
  },
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer.text),
    ...answer.headers,
  });
  response.end(answer.text);
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: OutgoingHttpHeaders;
  /** The error to show instead of a plain "invalid request" with `message`. */
  readonly error?: RpcError;
}

/** Refuses a request that never became a message: there is no id to answer to. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, message, headers } = refusal;
  const error = refusal.error ?? { code: rpcErrorCode.invalidRequest, message };
  respondJson(response, { status, text: encodeError(null, error), ...(headers && { headers }) });
}
