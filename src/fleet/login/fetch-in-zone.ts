import { isIP, BlockList, isIPv6 } from 'node:net';
import { AppError } from '../../kernel/index.ts';

/** Which network an address belongs to. `special`: link-local, multicast, reserved; never contacted. */
export type Zone = 'public' | 'private' | 'loopback' | 'special';

interface FetchRequest {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The `fetch` for URLs that others name: connects to the addresses that it checked, every redirect included. */
export type CheckedFetch = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers?: Headers | Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array | URLSearchParams | null;
    readonly signal?: AbortSignal;
    readonly redirect: 'follow' | 'manual';
    readonly limits: FetchLimits;
    /** Why a URL at these addresses is not contacted. */
    readonly refuse: (url: URL, addresses: readonly string[]) => string | undefined;
  },
) => Promise<Response>;

export interface FetchTerms {
  /** The network of the MCP server: besides public addresses, only those of its own network are contacted. */
  readonly zone: Zone;
  readonly limits?: Partial<FetchLimits>;
}

interface FetchLimits {
  readonly maxBytes: number;
  readonly totalMs: number;
  readonly maxRedirects: number;
}

const defaultLimits: FetchLimits = { maxBytes: 256 * 1024, totalMs: 10_000, maxRedirects: 3 };

/** The URL was not fetched, or its response was discarded. The message never holds the URL's query. */
export class FetchRefusedError extends Error {
  override readonly name = 'FetchRefusedError';
}

/**
 * Fetches URLs that a server or an authority named. Only https, or http on loopback; only addresses of `terms`. Redirects
 * of a POST, which carries a code or token, are returned unfollowed. Throws `FetchRefusedError`, or the signal's reason.
 */
export function fetchInZone(fetch: CheckedFetch, { zone, limits }: FetchTerms) {
  return async (target: string | URL, request: FetchRequest = {}): Promise<Response> => {
    const { method = 'GET', headers, body, signal } = request;
    try {
      return await fetch(checkedUrl(target), {
        method,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        redirect: method === 'GET' ? 'follow' : 'manual',
        limits: { ...defaultLimits, ...limits },
        refuse: (url, addresses) => refusalOf(url, addresses, zone),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      throw new FetchRefusedError(error.message);
    }
  };
}

function refusalOf(url: URL, addresses: readonly string[], zone: Zone): string | undefined {
  if (!isAllowedUrl(url)) return 'only https is allowed, and http on this machine';
  const isPlain = url.protocol === 'http:';
  const found = addresses.map(zoneOf).find((one) => {
    if (isPlain) return one !== 'loopback' || zone !== 'loopback';
    return one !== 'public' && (one !== zone || one === 'special');
  });
  return found === undefined ? undefined : `its address is ${found}`;
}

/** A URL that may be fetched or opened in a browser: https, or http of a loopback host. Throws `FetchRefusedError`. */
export function checkedUrl(target: string | URL): URL {
  const url = URL.parse(String(target));
  if (!url) throw new FetchRefusedError('an address that is not a URL was refused');
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefusedError(`${shown(url)} was refused: it holds a user name or password`);
  }
  if (isAllowedUrl(url)) return url;
  throw new FetchRefusedError(
    `${shown(url)} was refused: only https is allowed, and http on this machine`,
  );
}

function isAllowedUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url));
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

async function resolveAll(host: string): Promise<string[]> {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Without query and fragment, which may hold secrets. */
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, 200);
}
