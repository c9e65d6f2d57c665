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
  const body = answer.text.length > maxPastedLength ? Buffer.from(answer.text) : answer.text;
  const length = Buffer.byteLength(body);
  response.writeHead(
    answer.status,
    answer.headers
      ? { 'content-type': 'application/json', 'content-length': length, ...answer.headers }
      : ['content-type', 'application/json', 'content-length', String(length)],
  );
  response.end(body);
}

/** Node pastes a text to the headers to send both at once; of a long one that is one copy too many. */
const maxPastedLength = 16 * 1024;

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
