import type { IncomingMessage, ServerResponse } from 'node:http';

const allowedRequestHeaders =
  'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, traceparent, tracestate, baggage';
const preflightFreshSeconds = 600;

/**
 * Lets pages of the configured origins read answers. Pages from loopback are not refused but cannot
 * read anything unless they are configured too. True when the request was a preflight, and is done.
 */
export function handleCors(
  request: IncomingMessage,
  response: ServerResponse,
  allowedOrigins: readonly string[],
): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
  response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': allowedRequestHeaders,
    'access-control-max-age': String(preflightFreshSeconds),
  });
  response.end();
  return true;
}
