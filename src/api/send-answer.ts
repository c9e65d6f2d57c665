import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { KeptAnswer } from '../contract/answer/index.ts';
import { respondJson, type HttpExchange } from '../http/index.ts';
import type { AnswerBody } from './answer-cache.ts';
import { problemType, type Problem } from './errors.ts';

/** Answers belong to their caller: they are kept by no shared cache, and checked before they are used again. */
const always = { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' };

/** Sends the answer of a GET: it has an ETag, and 304 goes to a client that has the same answer. */
export function sendRead(
  { request, response }: Pick<HttpExchange, 'request' | 'response'>,
  body: AnswerBody | string,
): void {
  const etag = typeof body === 'string' ? etagOf(body) : body.etag;
  const headers = { ...always, etag };
  if (hasTag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  const text = typeof body === 'string' ? body : body.bytes;
  respondJson(response, { status: 200, text, headers });
}

/** Sends the answer of a request that does something. */
export function sendJson(
  { response }: Pick<HttpExchange, 'response'>,
  { status, location, text }: KeptAnswer,
): void {
  if (status === 204) {
    response.writeHead(204, always);
    response.end();
    return;
  }
  const body = text ?? '';
  if (status >= 400) {
    respondJson(response, {
      status,
      text: body,
      headers: { ...always, 'content-type': problemType },
    });
    return;
  }
  const headers = location === null ? always : { ...always, location };
  respondJson(response, { status, text: body, headers });
}

/** RFC 6750: the token is good, and may not do this. */
const forbidden = 'Bearer realm="tutti", error="insufficient_scope"';

export function sendProblem(response: ServerResponse, problem: Problem): void {
  const allowed = problem.details?.['allowed'];
  const headers = {
    ...always,
    'content-type': problemType,
    ...(problem.status === 405 && Array.isArray(allowed) && { allow: allowed.join(', ') }),
    ...(problem.status === 403 && { 'www-authenticate': forbidden }),
    ...((problem.status === 429 || problem.status === 503) && { 'retry-after': '1' }),
  };
  respondJson(response, { status: problem.status, text: JSON.stringify(problem), headers });
}

export function etagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}

/** Weak comparison, as `If-None-Match` asks for. */
export function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** Until the client has read what was sent, or is gone. */
export async function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  const events = [once(response, 'drain', { signal }), once(response, 'close', { signal })];
  await Promise.race(events);
  done.abort();
  await Promise.allSettled(events);
}
