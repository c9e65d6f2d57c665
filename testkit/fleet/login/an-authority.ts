import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface AuthorityOptions {
  /** Lifetime of access tokens. */
  readonly tokenSeconds?: number;
  /** Registered clients, besides those that register themselves. */
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
  readonly isRegistrationEnabled?: boolean;
  /** Answers before the provider does, when it returns true. */
  readonly intercept?: Intercept;
}

export type Intercept = (...exchange: Parameters<RequestListener>) => boolean | Promise<boolean>;

export interface TestAuthority {
  readonly issuer: string;
  /** Who a token was issued to, and for what; undefined when it is not valid for the resource. */
  check(
    token: string,
    resource: string,
  ): Promise<{ readonly account: string; readonly scopes: readonly string[] } | undefined>;
  /** Paths of all requests, with method. */
  readonly requests: string[];
  /** Every token, code and refresh token that was issued. */
  readonly issued: Set<string>;
  close(): Promise<void>;
}

/** An `oidc-provider` on loopback. Any name and password log in; the form for consent follows. */
export async function anAuthority(options: AuthorityOptions = {}): Promise<TestAuthority> {
  const requests: string[] = [];
  const issued = new Set<string>();
  let handle: RequestListener = () => {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    void (async () => {
      if ((await options.intercept?.(request, response)) === true) return;
      handle(request, response);
    })();
  });
  const issuer = await listen(server);
  const provider = createQuietly(() => new Provider(issuer, configurationOf(options)));
  handle = provider.callback();
  collectTokens(provider, issued);
  return {
    issuer,
    requests,
    issued,
    async check(token, resource) {
      const found = await provider.AccessToken.find(token);
      const isValid = found && !found.isExpired && [found.aud].flat().includes(resource);
      if (!isValid) return undefined;
      return { account: found.accountId, scopes: found.scope?.split(' ') ?? [] };
    },
    close: () => closeServer(server),
  };
}

/** It warns on the console that it is not meant for production. */
function createQuietly<Result>(create: () => Result): Result {
  const { warn, info } = console;
  Object.assign(console, { warn: () => {}, info: () => {} });
  try {
    return create();
  } finally {
    Object.assign(console, { warn, info });
  }
}

function configurationOf(options: AuthorityOptions): Readonly<Record<string, unknown>> {
  const { tokenSeconds = 3_600, clients = [], isRegistrationEnabled = true } = options;
  return {
    clients,
    scopes: ['openid', 'offline_access', 'read', 'write'],
    cookies: { keys: ['a test key'] },
    rotateRefreshToken: true,
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: isRegistrationEnabled },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'read write',
          audience: resource,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'opaque',
        }),
        useGrantedResource: () => true,
      },
    },
  };
}

/** The values themselves, so that tests can look for them where they must not be. */
function collectTokens(provider: Provider, issued: Set<string>): void {
  provider.on('grant.success', (context) => {
    const { access_token: access, refresh_token: refresh } = Object(context).body ?? {};
    for (const value of [access, refresh]) if (typeof value === 'string') issued.add(value);
    const { code, code_verifier: verifier } = Object(context).oidc?.params ?? {};
    for (const value of [code, verifier]) if (typeof value === 'string') issued.add(value);
  });
}

/** On a free port of loopback; returns the origin. */
export async function listen(server: Server): Promise<string> {
  // A busy test machine must not close connections that are about to be used.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
