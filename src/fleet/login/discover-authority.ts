import { processDiscoveryResponse, type AuthorizationServer } from 'oauth4webapi';
import { isRecord } from '../../protocol/index.ts';
import { LoginFailedError, type Challenge } from './errors.ts';
import { checkedUrl, FetchRefusedError } from './fetch-in-zone.ts';
import { readScopes } from './read-challenge.ts';

/** Fetches with the rules for this server; see `fetchInZone`. */
export type FetchForServer = (
  url: string | URL,
  request?: { readonly signal?: AbortSignal | undefined },
) => Promise<Response>;

export interface DiscoveryRequest {
  readonly server: string;
  readonly serverUrl: URL;
  readonly challenge: Challenge;
  /** The issuer that the entry names, or the one of the last login: others are refused. */
  readonly issuer?: string | undefined;
  readonly fetch: FetchForServer;
  readonly signal?: AbortSignal | undefined;
}

/** Who issues tokens for a server, and for which resource. */
export interface Authority {
  readonly metadata: AuthorizationServer;
  readonly issuer: string;
  /** The value of the resource indicator (RFC 8707). */
  readonly resource: string;
  /** Scopes that the resource names; empty when it names none. */
  readonly scopes: readonly string[];
}

/** Issuers that a resource may name. */
const maxIssuers = 10;

/**
 * From a server to its authorization server: the metadata of the protected resource (RFC 9728), whose `resource`
 * must be this server, then the metadata of its authorization server (RFC 8414 or OpenID Connect), whose `issuer`
 * must be the one it was looked up by. Throws `LoginFailedError`.
 */
export async function discoverAuthority(request: DiscoveryRequest): Promise<Authority> {
  const { server, serverUrl } = request;
  try {
    const found = await findResource(request);
    // Servers of the first revision with logins (2025-03-26) are their own authority.
    const named = found?.issuers ?? [serverUrl.origin];
    const issuer = chooseIssuer(request, named);
    const metadata = await readMetadata(request, checkedUrl(issuer));
    return {
      metadata,
      issuer: metadata.issuer,
      resource: found?.resource ?? canonicalUrl(serverUrl),
      scopes: found?.scopes ?? [],
    };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof FetchRefusedError) throw new LoginFailedError(server, error.message);
    throw error;
  }
}

/** The server's URL as a resource identifier: without fragment, and without the slash of an empty path. */
export function canonicalUrl(url: URL): string {
  const text = `${url.origin}${url.pathname}${url.search}`;
  return url.pathname === '/' && url.search === '' ? url.origin : text;
}

interface FoundResource {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** Undefined when the server has no such metadata. */
async function findResource(request: DiscoveryRequest): Promise<FoundResource | undefined> {
  const { server, serverUrl, challenge, fetch, signal } = request;
  const named = challenge.resourceMetadata;
  const candidates = named === undefined ? resourceUrls(serverUrl) : [checkedUrl(named)];
  for (const candidate of candidates) {
    const document = await readDocument(await fetch(candidate, { signal }));
    if (!document) continue;
    const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
    if (typeof resource !== 'string' || !isResourceOf(resource, serverUrl)) {
      throw new LoginFailedError(server, 'its metadata describes another resource than its url');
    }
    const names = (Array.isArray(issuers) ? issuers : []).filter((it) => typeof it === 'string');
    if (names.length === 0) {
      throw new LoginFailedError(server, 'its metadata names no authorization server');
    }
    return {
      resource,
      issuers: names.slice(0, maxIssuers),
      scopes: readScopes(Array.isArray(scopes) ? scopes.join(' ') : undefined),
    };
  }
  if (named !== undefined) {
    throw new LoginFailedError(server, 'the metadata that it names is not there, or is not JSON');
  }
  return undefined;
}

const resourceName = '.well-known/oauth-protected-resource';

/** With the path of the server inserted after the well-known name, then at the root. */
function resourceUrls({ origin, pathname, search }: URL): URL[] {
  const root = new URL(`${origin}/${resourceName}`);
  const path = pathname === '/' ? '' : pathname;
  return path === '' ? [root] : [new URL(`${root.href}${path}${search}`), root];
}

/** The server's URL, or one above it: same origin, and its path begins with the path of the resource. */
function isResourceOf(resource: string, serverUrl: URL): boolean {
  const url = URL.parse(resource);
  if (!url || url.origin !== serverUrl.origin || url.hash !== '') return false;
  if (url.search !== '' && url.search !== serverUrl.search) return false;
  const above = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${serverUrl.pathname}/`.startsWith(above);
}

function chooseIssuer({ server, issuer }: DiscoveryRequest, named: readonly string[]): string {
  const [first = ''] = named;
  if (issuer === undefined) return first;
  const known = named.find((it) => isSameIssuer(it, issuer));
  if (known !== undefined) return known;
  throw new LoginFailedError(
    server,
    `it names ${hostsOf(named)} as its authorization server, and not ${hostsOf([issuer])} as before. If that is right, run "tutti servers logout ${server}" and correct its entry`,
  );
}

function isSameIssuer(one: string, other: string): boolean {
  return URL.parse(one)?.href === URL.parse(other)?.href;
}

function hostsOf(urls: readonly string[]): string {
  return urls.map((url) => URL.parse(url)?.host ?? 'an invalid address').join(', ');
}

/** The metadata of one issuer, checked. Throws `LoginFailedError` or `FetchRefusedError`. */
export async function readMetadata(
  { server, fetch, signal }: Pick<DiscoveryRequest, 'server' | 'fetch' | 'signal'>,
  issuer: URL,
): Promise<AuthorizationServer> {
  for (const candidate of metadataUrls(issuer)) {
    const response = await fetch(candidate, { signal });
    if (response.status !== 200) continue;
    const metadata = await processDiscoveryResponse(issuer, response).catch(() => {
      throw new LoginFailedError(
        server,
        `the metadata of ${issuer.host} is not valid, or is that of another issuer`,
      );
    });
    checkMetadata(server, metadata);
    return metadata;
  }
  throw new LoginFailedError(server, `${issuer.host} has no metadata of an authorization server`);
}

/** RFC 8414, then OpenID Connect in both of its forms. */
function metadataUrls({ origin, pathname }: URL): URL[] {
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const names = ['oauth-authorization-server', 'openid-configuration'];
  const inserted = names.map((name) => new URL(`${origin}/.well-known/${name}${path}`));
  return path === ''
    ? inserted
    : [...inserted, new URL(`${origin}${path}/.well-known/openid-configuration`)];
}

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const;

function checkMetadata(server: string, metadata: AuthorizationServer): void {
  for (const name of endpoints) {
    const url = metadata[name];
    if (url !== undefined) checkedUrl(url);
    else if (name === 'authorization_endpoint' || name === 'token_endpoint') {
      throw new LoginFailedError(server, `its authorization server has no ${name}`);
    }
  }
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new LoginFailedError(
      server,
      'its authorization server does not support PKCE with S256, without which a login is not safe',
    );
  }
}

async function readDocument(
  response: Response,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (response.status !== 200) return undefined;
  const document: unknown = await response.json().catch(() => undefined);
  return isRecord(document) ? document : undefined;
}
