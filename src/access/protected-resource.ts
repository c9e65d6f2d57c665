import type { Route } from '../http/index.ts';

export interface ProtectedResource {
  /** The address that tokens are made for: `https://tutti.example/mcp`. */
  readonly resource: string;
  /** Issuers of tokens. */
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** OAuth 2.0 protected resource metadata (RFC 9728), for clients that look for the authorization server. */
export function protectedResourceRoutes(resource: ProtectedResource): readonly Route[] {
  const text = JSON.stringify({
    resource: resource.resource,
    authorization_servers: resource.authorizationServers,
    scopes_supported: resource.scopes,
    bearer_methods_supported: ['header'],
    resource_name: resource.name,
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=300' };
  const paths = new Set([wellKnown, `${wellKnown}/mcp`, metadataPath(resource)]);
  return [...paths].map((path) => ({
    path,
    methods: ['GET', 'HEAD'],
    access: 'open',
    handle: ({ response }) => {
      response.writeHead(200, headers).end(text);
      return undefined;
    },
  }));
}

/** Parameters of `WWW-Authenticate` that lead a client there. */
export function resourceChallenge(resource: ProtectedResource): string {
  const { origin } = new URL(resource.resource);
  const scope = resource.scopes.length === 0 ? '' : `, scope="${resource.scopes.join(' ')}"`;
  return `resource_metadata="${origin}${metadataPath(resource)}"${scope}`;
}

function metadataPath({ resource }: ProtectedResource): string {
  const { pathname } = new URL(resource);
  return pathname === '/' ? wellKnown : `${wellKnown}${pathname}`;
}
