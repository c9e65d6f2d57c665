import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Refusal } from './exchange.ts';

/** Names and origins this server answers to, normalized by `guardRules`. */
export interface GuardRules {
  /** Names this server is reached by, besides the loopback ones; `*` for any. */
  readonly allowedHosts: readonly string[];
  /** Web origins whose pages may call, besides those served from loopback. */
  readonly allowedOrigins: readonly string[];
  /** Host headers already found to be allowed. */
  readonly knownHosts?: Set<string>;
}

/**
 * Normalizes rules as people type them (`Example.com`, `host:8004`, `::1`, `https://app.example/`) to the
 * spelling of browsers. Drops what is neither a host nor an origin.
 */
export function guardRules({ allowedHosts, allowedOrigins }: GuardRules): GuardRules {
  return {
    allowedHosts: allowedHosts.map(ruleHost).filter((host) => host !== undefined),
    allowedOrigins: allowedOrigins.map(ruleOrigin).filter((origin) => origin !== ''),
    knownHosts: new Set(),
  };
}

function ruleHost(typed: string): string | undefined {
  if (typed === '*') return typed;
  return hostnameOf(typed.includes('://') ? typed : `http://${urlHost(typed)}`);
}

/** Origins other than web pages (`app-extension://id`) are compared as typed. */
function ruleOrigin(typed: string): string {
  return hostnameOf(typed) === undefined ? typed : new URL(typed).origin;
}

/** A host the way URLs and the Host header spell it. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Refuses what a proxy in front may have understood differently (400) and cross-site requests (403): a Host that
 * is not this server (DNS rebinding), an unknown Origin, a page of another origin.
 */
export function checkRequestHead(request: IncomingMessage, rules: GuardRules): Refusal | undefined {
  const message = ambiguityOf(request);
  if (message !== undefined) return { status: 400, message, headers: { connection: 'close' } };
  if (!isOurs(request.headers.host ?? '', rules)) {
    return { status: 403, message: 'The Host header names a host that this server is not' };
  }
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, rules.allowedOrigins)) {
    return { status: 403, message: 'The Origin header names an origin that may not call' };
  }
  return checkFetchSite(request, rules.allowedOrigins);
}

function ambiguityOf({ rawHeaders, headers, url = '' }: IncomingMessage): string | undefined {
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined) return `There is more than one ${repeated} header`;
  const encoding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  if (encoding !== 'chunked') return 'The Transfer-Encoding is not supported';
  return targetPattern.test(url) ? undefined : 'The request target must be a path';
}

/** `//host/path` and `http://host/path` would name another host than the one that was checked. */
const targetPattern = /^\/(?![/\\])[^#\\]*$/;

/**
 * What browsers say about the page behind a request (CSRF). Pages of other origins may follow links to a page of ours;
 * everything else needs a configured origin. Other programs do not send these headers.
 */
function checkFetchSite(
  { headers, method }: IncomingMessage,
  allowedOrigins: readonly string[],
): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  if (headers.origin !== undefined && allowedOrigins.includes(headers.origin)) return undefined;
  const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
  if (isLink && headers['sec-fetch-dest'] === 'document') return undefined;
  return { status: 403, message: 'A page of another origin may not call' };
}

/** Of these Node keeps the first or joins all; a proxy in front may have used another one. */
const singleHeaders: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'origin',
  'sec-fetch-site',
  'x-api-key',
  'idempotency-key',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
]);

/** `rawHeaders` alternates names and values. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}

const maxKnownHosts = 100;
const hostHeader = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Cached: parsing a URL costs more than all other checks, and clients repeat the same header. */
function isOurs(header: string, { allowedHosts, knownHosts }: GuardRules): boolean {
  if (knownHosts?.has(header)) return true;
  // Checked before it becomes part of a URL, where `#`, `@` and `%` would change its meaning.
  const hostname = hostHeader.test(header) ? hostnameOf(`http://${header}`) : undefined;
  if (hostname === undefined || !isAllowedHost(hostname, allowedHosts)) return false;
  if (knownHosts && knownHosts.size < maxKnownHosts) knownHosts.add(header);
  return true;
}

function isAllowedHost(hostname: string, allowed: readonly string[]): boolean {
  return isLoopback(hostname) || allowed.includes('*') || allowed.includes(hostname);
}

function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin)) return true;
  const hostname = hostnameOf(origin);
  // Browsers send the exact origin of the URL, nothing else.
  return hostname !== undefined && isLoopback(hostname) && new URL(origin).origin === origin;
}

function hostnameOf(url: string): string | undefined {
  const { hostname, protocol, username, pathname, search } = URL.parse(url) ?? {};
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && !username && pathname === '/' && !search ? hostname : undefined;
}

/** Accepts `[::1]` as in URLs and `::1` as typed. */
export function isLoopback(host: string): boolean {
  const hostname = host.toLowerCase();
  if (hostname === 'localhost' || hostname === '[::1]' || hostname === '::1') return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}

const allowedRequestHeaders =
  'authorization, content-type, accept, last-event-id, idempotency-key, if-none-match, range, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, traceparent, tracestate, baggage';
const preflightFreshSeconds = 600;

/**
 * CORS: pages of the configured origins may read responses. Pages from loopback are not refused, but
 * can read nothing unless configured. True when the request was a preflight and has been answered.
 */
export function handleCors(
  request: IncomingMessage,
  response: ServerResponse,
  allowedOrigins: readonly string[],
): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader(
    'access-control-expose-headers',
    'mcp-session-id, etag, location, content-range',
  );
  response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': allowedRequestHeaders,
    'access-control-max-age': String(preflightFreshSeconds),
  });
  response.end();
  return true;
}
