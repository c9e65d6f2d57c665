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

/** Refuses cross-site requests: a Host that is not this server (DNS rebinding) or an unknown Origin. */
export function checkHostAndOrigin(
  request: IncomingMessage,
  rules: GuardRules,
): Refusal | undefined {
  // Node keeps the first one; a proxy in front may have used another.
  if (countOf(request.rawHeaders, 'host') > 1) {
    return { status: 400, message: 'There is more than one Host header' };
  }
  if (!isOurs(request.headers.host ?? '', rules)) {
    return { status: 403, message: 'The Host header names a host that this server is not' };
  }
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, rules.allowedOrigins)) {
    return { status: 403, message: 'The Origin header names an origin that may not call' };
  }
  return undefined;
}

/** `rawHeaders` alternates names and values. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
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
  'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, traceparent, tracestate, baggage';
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
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
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
