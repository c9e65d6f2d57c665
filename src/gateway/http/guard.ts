import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Secret } from '../../kernel/index.ts';
import type { Refusal } from './respond.ts';

/** As `guardRules` spells them. */
export interface GuardRules {
  /** Names this server is reached by, besides the loopback ones; `*` for any. */
  readonly allowedHosts: readonly string[];
  /** Web origins whose pages may call, besides those served from loopback. */
  readonly allowedOrigins: readonly string[];
  readonly token: Secret | undefined;
  /** Host headers that were found to be allowed. */
  readonly knownHosts?: Set<string>;
}

/**
 * The rules as people type them (`Example.com`, `host:8004`, `::1`, `https://app.example/`) in the
 * spelling of browsers, which is compared. What can be none of them is left out.
 */
export function guardRules({ allowedHosts, allowedOrigins, token }: GuardRules): GuardRules {
  return {
    allowedHosts: allowedHosts.map(ruleHost).filter((host) => host !== undefined),
    allowedOrigins: allowedOrigins.map(ruleOrigin).filter((origin) => origin !== ''),
    token,
    knownHosts: new Set(),
  };
}

function ruleHost(typed: string): string | undefined {
  if (typed === '*') return typed;
  return hostnameOf(typed.includes('://') ? typed : `http://${urlHost(typed)}`);
}

/** Origins that are no web pages (`app-extension://id`) have no other spelling. */
function ruleOrigin(typed: string): string {
  return hostnameOf(typed) === undefined ? typed : new URL(typed).origin;
}

/** A host the way URLs and the Host header spell it. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Refuses what a web page could send on behalf of someone else: a request for a name that is not
 * ours (DNS rebinding), or from an origin we do not know.
 */
export function checkHostAndOrigin(
  request: IncomingMessage,
  rules: GuardRules,
): Refusal | undefined {
  // Node keeps the first of several; a proxy before us may have looked at another.
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

/** Reading a URL costs more than all other checks, and clients send the same header every time. */
function isOurs(header: string, { allowedHosts, knownHosts }: GuardRules): boolean {
  if (knownHosts?.has(header)) return true;
  // Before it is read as a part of a URL, where signs such as `#`, `@` and `%` would change what it means.
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
  // Browsers send an origin as URLs spell it, and nothing else.
  return hostname !== undefined && isLoopback(hostname) && new URL(origin).origin === origin;
}

function hostnameOf(url: string): string | undefined {
  const { hostname, protocol, username, pathname, search } = URL.parse(url) ?? {};
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && !username && pathname === '/' && !search ? hostname : undefined;
}

/** Takes names as URLs spell them (`[::1]`) and as people type them (`::1`). */
export function isLoopback(host: string): boolean {
  const hostname = host.toLowerCase();
  if (hostname === 'localhost' || hostname === '[::1]' || hostname === '::1') return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}

const bearerPattern = /^Bearer +(\S+) *$/i;

/** Refuses a request without the token, if one is configured. */
export function checkToken(
  request: IncomingMessage,
  token: Secret | undefined,
): Refusal | undefined {
  if (token === undefined) return undefined;
  const given = bearerPattern.exec(request.headers.authorization ?? '')?.[1];
  if (given !== undefined && isSameSecret(given, token.reveal())) return undefined;
  const reason = given === undefined ? '' : ', error="invalid_token"';
  return {
    status: 401,
    message:
      'This server wants a token: send "Authorization: Bearer TOKEN"; its page at / says where it is',
    headers: { 'www-authenticate': `Bearer realm="tutti"${reason}` },
  };
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
