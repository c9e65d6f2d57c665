import { protectedResourceRoutes, resourceChallenge, type Credentials } from '../access/index.ts';
import type { HttpGatewayOptions } from '../gateway/index.ts';
import { isLoopback, RequestLimits, type Listener, type Route } from '../http/index.ts';
import { reportError, systemClock } from '../kernel/index.ts';
import type { AccessParts } from './access.ts';

export interface ServedAccess {
  readonly options: Pick<HttpGatewayOptions, 'identity' | 'requestLimits'>;
  readonly routes: readonly Route[];
  /** Ends the requests of callers that lose access, until the returned function is called. */
  watch(listener: Pick<Listener, 'dropCallers'>): () => void;
}

interface OpenAccess {
  readonly credentials: Credentials;
  /** Whether tokens of an issuer are accepted. */
  readonly hasJwt: boolean;
  /** Has `listener` called when this process took access away. */
  readonly onRevoked: (listener: () => void) => void;
}

/** How soon what another process changed counts here. */
const refreshMs = 500;

/** What the listener of `tutti serve` needs. */
export async function serveAccess(parts: AccessParts, open: OpenAccess): Promise<ServedAccess> {
  const { settings, store } = parts;
  const { credentials, hasJwt } = open;
  const { identity, server } = settings;
  const { rate_limit: rate } = server;
  const requestLimits = new RequestLimits({
    perSecond: rate.per_second,
    burst: rate.burst,
    addressPerSecond: rate.address_per_second,
    addressBurst: rate.address_burst,
    maxInFlight: rate.max_in_flight,
    failedLoginsPerMinute: rate.failed_logins_per_minute,
    clock: systemClock,
  });
  const issuers = [identity.jwt.issuer ?? ''].filter((issuer) => URL.canParse(issuer));
  const { resource, authorization_servers: named, scopes } = identity;
  const authorizationServers = named.length > 0 ? named : issuers;
  const metadata =
    resource === undefined || authorizationServers.length === 0
      ? undefined
      : { resource, authorizationServers, scopes, name: server.name };
  const isLocal = isLoopback(server.host);
  // Beyond this machine, no key that can be used is no authentication.
  const canLogIn = isLocal || hasJwt || (await store.keys.hasUsable(systemClock.now()));
  return {
    routes: metadata ? protectedResourceRoutes(metadata) : [],
    options: {
      requestLimits,
      identity: {
        isOpen: isLocal && server.auth_token === undefined && !server.require_token,
        verify: canLogIn ? (token, options) => credentials.verify(token, options) : undefined,
        challenge: metadata && resourceChallenge(metadata),
        loginLimit: requestLimits.login,
      },
    },
    watch: (listener) => watchAccess(parts, open, listener),
  };
}

function watchAccess(
  { log }: AccessParts,
  { credentials, onRevoked }: OpenAccess,
  listener: Pick<Listener, 'dropCallers'>,
): () => void {
  const drop = (): void => {
    const dropped = listener.dropCallers((caller) => !credentials.isActive(caller));
    if (dropped > 0) log.info('ended requests of callers without access', { dropped });
  };
  const look = async (): Promise<void> => {
    try {
      await credentials.refresh();
      drop();
    } catch (error) {
      log.warn('failed to read who has access', { message: reportError(error).message });
    }
  };
  onRevoked(drop);
  const timer = setInterval(() => void look(), refreshMs).unref();
  return () => clearInterval(timer);
}
