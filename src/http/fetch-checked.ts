import { lookup } from 'node:dns/promises';
import { request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIP } from 'node:net';
import { AppError, orAborted } from '../kernel/index.ts';
import { FetchFailedError, FetchRefusedError } from './errors.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetchLimits {
  readonly maxBytes: number;
  /** For everything: name resolution, redirects and the body. */
  readonly totalMs: number;
  readonly maxRedirects: number;
}

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** The options of `fetch` that its users here need, so that it can be passed as their `fetch`. */
export interface CheckedRequest {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `manual` returns the redirect itself. */
  readonly redirect?: 'follow' | 'manual';
  /** Origins that a person chose in the settings of this machine: they may be at any address. */
  readonly trustedOrigins?: readonly string[];
  /** Why a URL at these addresses is not contacted, in place of the rule that they must be public. */
  readonly refuse?: (url: URL, addresses: readonly string[]) => string | undefined;
  readonly limits?: Partial<FetchLimits>;
  readonly resolveHost?: ResolveHost;
}

const defaultLimits: FetchLimits = { maxBytes: 1_048_576, totalMs: 10_000, maxRedirects: 3 };

/**
 * `fetch` for URLs that come from others: metadata of a server, a token's issuer, a webhook, a reference in a document.
 *
 * 1. Only http and https, without credentials in the URL, and only to hosts all of whose addresses are public.
 * 2. The connection goes to the addresses that were checked: a name that resolves differently a moment later changes nothing.
 * 3. Redirects pass the same checks, one by one; headers with credentials and bodies do not reach another origin, and
 *    https does not become http.
 * 4. Size, time and the number of redirects are limited; the body is complete when this resolves.
 *
 * Throws `http.fetch_refused`, `http.fetch_failed` or the signal's reason. No proxy is used.
 */
export async function fetchChecked(
  target: string | URL,
  request: CheckedRequest = {},
): Promise<Response> {
  const limits = { ...defaultLimits, ...request.limits };
  const timeout = AbortSignal.timeout(limits.totalMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  let hop = firstHop(target, request);
  try {
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(hop, { request, limits, signal });
      const { location } = answer.headers;
      if (request.redirect === 'manual' || !isRedirect(answer) || location === undefined) {
        return toResponse(answer);
      }
      if (redirects >= limits.maxRedirects) {
        throw new FetchRefusedError(hop.url, `more than ${limits.maxRedirects} redirects`);
      }
      hop = nextHop(hop, location, answer.status);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    request.signal?.throwIfAborted();
    const cause = timeout.aborted ? `no answer within ${limits.totalMs} ms` : reasonOf(error);
    throw new FetchFailedError(hop.url, cause);
  }
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

function firstHop(target: string | URL, { method, headers, body }: CheckedRequest): Hop {
  const sent = new Headers(headers);
  if (body instanceof URLSearchParams && !sent.has('content-type')) {
    sent.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  return {
    url: checkedUrl(String(target)),
    method: method ?? 'GET',
    headers: sent,
    body: body instanceof URLSearchParams ? body.toString() : (body ?? undefined),
  };
}

function checkedUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw new FetchRefusedError(base, 'the URL is not valid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchRefusedError(url, 'its scheme is neither http nor https');
  }
  if (url.username || url.password) {
    throw new FetchRefusedError(url, 'the URL contains credentials');
  }
  return url;
}

function isRedirect({ status }: Answer): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Headers that say nothing about the sender; all others stay with the origin they were meant for. */
const portableHeaders = ['accept', 'accept-language', 'user-agent', 'mcp-protocol-version'];

function nextHop(hop: Hop, location: string, status: number): Hop {
  const url = checkedUrl(location, hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new FetchRefusedError(url, 'it was redirected from https to http');
  }
  const isSameOrigin = url.origin === hop.url.origin;
  const keepsBody = status === 307 || status === 308;
  if (keepsBody && !isSameOrigin && hop.body !== undefined) {
    throw new FetchRefusedError(url, 'its body was redirected to another origin');
  }
  const headers = new Headers(hop.headers);
  for (const name of hop.headers.keys()) {
    const isDropped = isSameOrigin
      ? !keepsBody && name.startsWith('content-')
      : !portableHeaders.includes(name);
    if (isDropped) headers.delete(name);
  }
  if (keepsBody) return { ...hop, url, headers };
  return { url, method: hop.method === 'HEAD' ? 'HEAD' : 'GET', headers, body: undefined };
}

interface Sending {
  readonly request: CheckedRequest;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function send(hop: Hop, { request, limits, signal }: Sending): Promise<Answer> {
  const { url, method, body } = hop;
  signal.throwIfAborted();
  const addresses = await checkedAddresses(url, request, signal);
  const options: RequestOptions = {
    method,
    headers: { ...Object.fromEntries(hop.headers), 'accept-encoding': 'identity' },
    // A pooled connection might go to an address that another request was allowed to use.
    agent: false,
    lookup: pinnedLookup(addresses),
    signal,
  };
  const isSecure = url.protocol === 'https:';
  const start = isSecure ? (await import('node:https')).request : plainRequest;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    start(url, options, resolve).on('error', reject).end(body);
  });
  return readAnswer(incoming, url, limits);
}

const maxAddresses = 64;

/** Every address counts: one public address does not excuse a private one. */
async function checkedAddresses(
  url: URL,
  { trustedOrigins = [], resolveHost = resolveBySystem, refuse = refusePrivate }: CheckedRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const resolving = isIP(hostname) === 0 ? resolveHost(hostname) : Promise.resolve([hostname]);
  const addresses = await orAborted(resolving, signal);
  if (addresses.length === 0) throw new FetchFailedError(url, 'its host has no address');
  const reason = trustedOrigins.includes(url.origin) ? undefined : refuse(url, addresses);
  if (reason !== undefined) throw new FetchRefusedError(url, reason);
  return addresses.slice(0, maxAddresses);
}

/** The address is left out of the message, which may reach the one who sent the URL. */
function refusePrivate(_url: URL, addresses: readonly string[]): string | undefined {
  return addresses.every(isPublicAddress) ? undefined : 'its host is not on the public internet';
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

type Lookup = NonNullable<RequestOptions['lookup']>;

function pinnedLookup(addresses: readonly string[]): Lookup {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

async function readAnswer(
  incoming: IncomingMessage,
  url: URL,
  { maxBytes }: FetchLimits,
): Promise<Answer> {
  const { statusCode: status = 0, headers } = incoming;
  const encoding = headers['content-encoding'] ?? 'identity';
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // A small compressed body can be a large one.
    if (encoding !== 'identity') throw new FetchFailedError(url, 'its answer is compressed');
    for await (const chunk of incoming) {
      // Without an encoding a stream gives buffers.
      const piece = chunk as Buffer;
      length += piece.length;
      if (length > maxBytes) {
        throw new FetchFailedError(url, `its answer is larger than ${maxBytes} bytes`);
      }
      chunks.push(piece);
    }
  } finally {
    incoming.destroy();
  }
  return { status, headers, body: Buffer.concat(chunks) };
}

const bodilessStatuses = [204, 205, 304];

function toResponse({ status, headers, body }: Answer): Response {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) given.append(name, one);
  }
  const content = bodilessStatuses.includes(status) ? null : new Uint8Array(body);
  return new Response(content, { status, headers: given });
}

function reasonOf(error: unknown): string {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return code === undefined ? 'the connection broke' : `the connection failed (${code})`;
}
