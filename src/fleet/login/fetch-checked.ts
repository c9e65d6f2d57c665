import { lookup as resolveName } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/** Which network an address belongs to. `special`: link-local, multicast, reserved; never contacted. */
export type Zone = 'public' | 'private' | 'loopback' | 'special';

export interface FetchRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchTerms {
  /** The network of the MCP server: besides public addresses, only those of its own network are contacted. */
  readonly zone: Zone;
  readonly limits?: Partial<FetchLimits>;
}

export interface FetchLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Redirects of a GET; those of a POST are returned unfollowed. */
  readonly maxRedirects: number;
}

const defaultFetchLimits: FetchLimits = {
  maxBytes: 256 * 1024,
  timeoutMs: 10_000,
  maxRedirects: 3,
};

/** The URL was not fetched, or its response was discarded. The message never holds the URL's query. */
export class FetchRefusedError extends Error {
  override readonly name = 'FetchRefusedError';
}

/**
 * Fetches a URL that a server or an authority named. Only https, or http on loopback; only addresses of `terms`,
 * checked when the name is resolved, so that the connection goes to the address that was checked; every redirect
 * is checked again. Size, time and redirects are limited. Throws `FetchRefusedError`, or the signal's reason.
 */
export async function fetchChecked(
  target: string | URL,
  request: FetchRequest,
  terms: FetchTerms,
): Promise<Response> {
  const limits = { ...defaultFetchLimits, ...terms.limits };
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  const { method = 'GET' } = request;
  let url = checkedUrl(target);
  try {
    for (let hop = 0; ; hop += 1) {
      const response = await exchange(url, request, { zone: terms.zone, signal });
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (status < 300 || status >= 400 || location === undefined || method !== 'GET') {
        return await toResponse(response, limits.maxBytes);
      }
      response.destroy();
      if (hop >= limits.maxRedirects) {
        throw new FetchRefusedError(`${shown(url)} redirects more than ${hop} times`);
      }
      url = checkedUrl(location, url);
    }
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof FetchRefusedError) throw error;
    if (timeout.aborted) {
      throw new FetchRefusedError(`${shown(url)} did not respond within ${limits.timeoutMs} ms`);
    }
    throw new FetchRefusedError(`${shown(url)} could not be fetched (${reasonOf(error)})`);
  }
}

/** A URL that may be fetched or opened in a browser: https, or http of a loopback host. Throws `FetchRefusedError`. */
export function checkedUrl(target: string | URL, base?: URL): URL {
  const url = URL.parse(String(target), base?.href);
  if (!url) throw new FetchRefusedError('an address that is not a URL was refused');
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefusedError(`${shown(url)} was refused: it holds a user name or password`);
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url))) return url;
  throw new FetchRefusedError(
    `${shown(url)} was refused: only https is allowed, and http on this machine`,
  );
}

/** The network of a URL's host: the most restricted of its addresses counts. */
export async function zoneOfHost(url: URL): Promise<Zone> {
  const host = bareHost(url);
  const addresses = isIP(host) > 0 ? [host] : await resolveAll(host);
  const zones = addresses.map(zoneOf);
  return order.find((zone) => zones.includes(zone)) ?? 'public';
}

const order: readonly Zone[] = ['special', 'loopback', 'private'];

export function zoneOf(address: string): Zone {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'loopback';
  if (special.check(address, family)) return 'special';
  return privateNets.check(address, family) ? 'private' : 'public';
}

const loopback = blockListOf(['127.0.0.0/8', '::1/128']);
const privateNets = blockListOf([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]);
/** The last three embed IPv4 addresses that would have to be checked, too. */
const special = blockListOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '2001:db8::/32',
  '64:ff9b::/96',
  '2001::/32',
  '2002::/16',
]);

function blockListOf(nets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = '', prefix] = net.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Host names count only by their reserved names; what they resolve to is checked when connecting. */
function isLoopbackHost(url: URL): boolean {
  const host = bareHost(url);
  return isIP(host) > 0 ? zoneOf(host) === 'loopback' : host === 'localhost';
}

function bareHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function exchange(
  url: URL,
  { method = 'GET', headers = {}, body }: FetchRequest,
  { zone, signal }: { readonly zone: Zone; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const host = bareHost(url);
  const mustBeLoopback = url.protocol === 'http:';
  const check = (address: string): void => {
    const found = zoneOf(address);
    const isAllowed = mustBeLoopback
      ? found === 'loopback' && zone === 'loopback'
      : found === 'public' || (found === zone && found !== 'special');
    if (!isAllowed) {
      throw new FetchRefusedError(`${shown(url)} was refused: its address is ${found}`);
    }
  };
  // Literal addresses are not resolved, so `lookup` does not see them.
  if (isIP(host) > 0) check(host);
  const text = body === undefined ? undefined : String(body);
  const options: RequestOptions = {
    method,
    signal,
    lookup: checkedLookup(check),
    agent: false,
    headers: {
      ...headers,
      ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }),
    },
  };
  const send = mustBeLoopback ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    send(url, options).on('response', resolve).on('error', reject).end(text);
  });
}

/** Resolves a name as the connection does, and fails if any of its addresses is not allowed. */
function checkedLookup(check: (address: string) => void): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      try {
        if (error) throw error;
        for (const { address } of addresses) check(address);
      } catch (reason) {
        callback(reason instanceof Error ? reason : new Error(String(reason)), '', 0);
        return;
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

async function resolveAll(host: string): Promise<string[]> {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

async function toResponse(response: IncomingMessage, maxBytes: number): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new FetchRefusedError(`a response of more than ${maxBytes} bytes was refused`);
    }
    chunks.push(chunk);
  }
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const status = response.statusCode ?? 0;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers });
}

/** Without query and fragment, which may hold secrets. */
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, 200);
}

function reasonOf(error: unknown): string {
  const { code, cause } = Object(error);
  if (cause instanceof FetchRefusedError) return cause.message;
  return typeof code === 'string' ? code : 'the connection failed';
}
