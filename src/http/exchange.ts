import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** One HTTP request and its response. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Values of the `:name` segments of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** The single value of a header, trimmed; undefined when it is absent. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

export function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

/** What clients of the MCP transport send; compared first because it is the common case. */
const usualAccept = 'application/json, text/event-stream';

/** Whether the client accepts a media type; without an Accept header it accepts everything. */
export function accepts(
  { headers: { accept } }: IncomingMessage,
  type: 'application/json' | 'text/event-stream',
): boolean {
  if (accept === undefined || accept === usualAccept) return true;
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim())
    .some((range) => range === type || range === group || range === '*/*');
}

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Sends one JSON text, or its bytes, as the whole response. */
export function respondJson(
  response: ServerResponse,
  answer: Omit<JsonAnswer, 'text'> & { readonly text: string | Buffer },
): void {
  if (response.headersSent || response.destroyed) return;
  const { text } = answer;
  const isLong = typeof text === 'string' && text.length > maxPastedLength;
  const body = isLong ? Buffer.from(text) : text;
  const length = Buffer.byteLength(body);
  response.writeHead(
    answer.status,
    answer.headers
      ? { 'content-type': 'application/json', 'content-length': length, ...answer.headers }
      : ['content-type', 'application/json', 'content-length', String(length)],
  );
  response.end(body);
}

/** Node concatenates a string body with the headers; for a long one that is one copy too many. */
const maxPastedLength = 16 * 1024;

/** Why a request was not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Writes a refusal in the format of the route's protocol. */
export type RefusalFormat = (refusal: Refusal) => JsonAnswer;

/** RFC 9457 problem details. */
export const problemFormat: RefusalFormat = ({ status, message, headers }) => ({
  status,
  text: JSON.stringify({ type: 'about:blank', status, title: message }),
  headers: { ...headers, 'content-type': 'application/problem+json' },
});
