import type { Api } from '../api/index.ts';
import { createHttpGateway, type HttpGatewayOptions } from '../gateway/index.ts';
import type { Settings } from '../config/index.ts';
import { parseSize } from '../contract/settings/index.ts';
import type { AdmissionLimits, Route } from '../http/index.ts';
import type { Store } from '../store/index.ts';
import { openPrivateToken, sealingSecrets } from './data-directory.ts';
import type { InstancesHere } from './instances.ts';
import { drainOnce, joinInstances } from './join-instances.ts';
import type { FaceParts } from './faces.ts';
import type { LoginsHere } from './logins.ts';
import { metricsRoute } from './observing.ts';
import { tuneCollector } from './tune-collector.ts';

/** What is still open when the drain limit is over. */
const closeLimitMs = 1_000;
const secondMs = 1_000;
const hourMs = 3_600_000;

interface HttpFaceParts extends FaceParts {
  readonly store: Pick<Store, 'clientSessions'>;
  readonly instances: Pick<InstancesHere, 'join'>;
  readonly logins: Pick<LoginsHere, 'routes' | 'publicUrls' | 'servedAt'>;
  readonly api: Api;
}

export interface HttpListener {
  readonly url: string;
  /** Resolves when it was asked to drain and has finished what it had, or its limit is over. */
  readonly drained: Promise<void>;
  /** Holds the token that was made because none is configured. */
  readonly tokenFile?: string;
  /** How long it lets what it has begun go on before it closes. */
  readonly drainLimitMs: number;
  /** Takes nothing new and waits for what it has begun, `drainLimitMs` at most; then closes. */
  close(): Promise<void>;
}

/** Serves MCP and the REST API over HTTP until it is closed. */
export async function serveHttp(parts: HttpFaceParts): Promise<HttpListener> {
  const http = await import('../http/index.ts');
  tuneCollector();
  const { server, home } = parts.settings;
  const { host, port, drain_seconds: drainSeconds } = server;
  // Beyond this machine the token is the user's own choice: the gateway refuses to start without one.
  const isOurs = server.auth_token === undefined && server.require_token && http.isLoopback(host);
  const own = isOurs ? openPrivateToken(home, 'serve-token') : undefined;
  const access = await parts.access.serving();
  const admission = new http.Admission(admissionLimits(server));
  const gateway = await createHttpGateway({
    server: parts.httpCatalogue,
    servers: () => parts.fleet.status(),
    sessions: {
      store: parts.store.clientSessions,
      secrets: () => sealingSecrets(parts.settings),
    },
    admission,
    log: parts.log,
    version: parts.version,
    host,
    port,
    token: server.auth_token ?? own?.token,
    minProtocolVersion: server.min_protocol_version,
    allowedHosts: [...server.allowed_hosts, ...parts.logins.publicUrls],
    allowedOrigins: [...server.allowed_origins, ...parts.logins.publicUrls],
    limits: gatewayLimits(server),
    ...access.options,
    routes: [...access.routes, ...routesOf(parts)],
    links: [{ path: '/api/docs', text: 'The REST API' }],
    ...countRefusals(parts),
    baggageKeys: parts.settings.tracing.baggage_keys,
  });
  parts.logins.servedAt(gateway.url);
  const stopWatching = access.watch(gateway);
  const drainLimitMs = drainSeconds * secondMs;
  const draining = drainOnce([gateway, parts.api], drainLimitMs);
  const membership = joinInstances(parts, {
    address: gateway.url,
    calls: () => admission.running,
    isDraining: () => admission.isDraining,
    drain: () => draining().isOver,
  });
  return {
    url: gateway.url,
    drained: membership.drained,
    ...(own && { tokenFile: own.file }),
    drainLimitMs,
    close: async () => {
      const { endsAtMs, isOver } = draining();
      await isOver;
      stopWatching();
      await parts.api.close();
      // Requests that are no calls, such as downloads, have the rest of the time.
      await gateway.close(Math.max(endsAtMs - performance.now(), closeLimitMs));
      await membership.leave();
    },
  };
}

function routesOf({ metrics, logins, api }: HttpFaceParts): readonly Route[] {
  return [metricsRoute(metrics), ...logins.routes, ...api.routes];
}

function gatewayLimits(
  server: Settings['server'],
): Exclude<HttpGatewayOptions['limits'], undefined> {
  return {
    maxRequestBytes: server.max_request_bytes,
    maxConnections: server.max_connections,
    maxConnectionsPerAddress: server.max_connections_per_address,
    sessionLifetimeMs: server.session_hours * hourMs,
  };
}

function admissionLimits({
  max_calls: maxCalls,
  max_memory: memory,
}: Settings['server']): Partial<AdmissionLimits> {
  const maxMemoryBytes = memory === undefined ? undefined : parseSize(memory);
  return { maxCalls, ...(maxMemoryBytes !== undefined && { maxMemoryBytes }) };
}

type Refusals = Pick<HttpGatewayOptions, 'onRefused' | 'onForbidden' | 'onHeaderMismatch'>;

/** Counted first: recording a refusal may fail. */
function countRefusals({ metrics, ...parts }: FaceParts): Required<Refusals> {
  const count = (reason: string): void => metrics.add('tutti_refused_requests_total', [reason]);
  return {
    onRefused: (refused) => {
      count(refused.by);
      parts.onRefused?.(refused);
    },
    onForbidden: (refused) => {
      count('permission');
      parts.onForbidden?.(refused);
    },
    onHeaderMismatch: (refused) => {
      count('header mismatch');
      parts.onHeaderMismatch?.(refused);
    },
  };
}
