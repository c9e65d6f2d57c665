import type { Readable, Writable } from 'node:stream';
import type { Api } from '../api/index.ts';
import type { Settings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import {
  createHttpGateway,
  serveStdio as serveGateway,
  type HttpGatewayOptions,
} from '../gateway/index.ts';
import type { RefusedRequest } from '../http/index.ts';
import type { Log } from '../kernel/index.ts';
import type { Metrics } from '../observe/index.ts';
import type { AccessHere } from './access.ts';
import type { FaceCatalogues } from './choose-face.ts';
import type { Roots } from './roots.ts';
import { openPrivateToken } from './data-directory.ts';
import type { LoginsHere } from './logins.ts';
import { metricsRoute } from './observing.ts';
import { tuneCollector } from './tune-collector.ts';

interface FaceParts extends FaceCatalogues {
  readonly settings: Settings;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly log: Log;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'render' | 'collect' | 'add'>;
  readonly roots: Pick<Roots, 'follow'>;
  readonly access: Pick<AccessHere, 'serving'>;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  readonly onForbidden?: HttpGatewayOptions['onForbidden'];
  readonly onHeaderMismatch?: HttpGatewayOptions['onHeaderMismatch'];
}

interface HttpFaceParts extends FaceParts {
  readonly logins: Pick<LoginsHere, 'routes' | 'publicUrls' | 'servedAt'>;
  readonly api: Api;
}

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends serving when it aborts: calls that run are stopped, unanswered. */
  readonly signal?: AbortSignal | undefined;
  /** What was read and answered before. */
  readonly opening?: Opening | undefined;
}

/** Speaks MCP on the streams until the input ends or the signal aborts. */
export async function serveStdio(parts: FaceParts, streams: StdioStreams): Promise<void> {
  tuneCollector();
  const gateway = serveGateway({
    server: parts.stdioCatalogue,
    caller: localCaller,
    input: streams.stdin,
    output: streams.stdout,
    log: parts.log,
    maxMessageBytes: parts.settings.server.max_request_bytes,
    minProtocolVersion: parts.settings.server.min_protocol_version,
    baggageKeys: parts.settings.tracing.baggage_keys,
    opening: streams.opening,
    onRoots: (ask) => parts.roots.follow(ask),
  });
  const { signal } = streams;
  const onAbort = (): void => void gateway.close();
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  await gateway.closed;
  signal?.removeEventListener('abort', onAbort);
}

export interface HttpListener {
  readonly url: string;
  /** Holds the token that was made because none is configured. */
  readonly tokenFile?: string;
  close(): Promise<void>;
}

/** Serves MCP and the REST API over HTTP until it is closed. */
export async function serveHttp(parts: HttpFaceParts): Promise<HttpListener> {
  const { isLoopback } = await import('../http/index.ts');
  tuneCollector();
  const { server, home } = parts.settings;
  const { host, port } = server;
  // Beyond this machine the token is the user's own choice: the gateway refuses to start without one.
  const isOurs = server.auth_token === undefined && server.require_token && isLoopback(host);
  const own = isOurs ? openPrivateToken(home, 'serve-token') : undefined;
  const access = await parts.access.serving();
  const gateway = await createHttpGateway({
    server: parts.httpCatalogue,
    servers: () => parts.fleet.status(),
    log: parts.log,
    version: parts.version,
    host,
    port,
    token: server.auth_token ?? own?.token,
    minProtocolVersion: server.min_protocol_version,
    allowedHosts: [...server.allowed_hosts, ...parts.logins.publicUrls],
    allowedOrigins: [...server.allowed_origins, ...parts.logins.publicUrls],
    limits: {
      maxRequestBytes: server.max_request_bytes,
      maxConnections: server.max_connections,
      maxConnectionsPerAddress: server.max_connections_per_address,
    },
    ...access.options,
    routes: [
      metricsRoute(parts.metrics),
      ...access.routes,
      ...parts.logins.routes,
      ...parts.api.routes,
    ],
    links: [{ path: '/api/docs', text: 'The REST API' }],
    ...countRefusals(parts),
    baggageKeys: parts.settings.tracing.baggage_keys,
  });
  parts.logins.servedAt(gateway.url);
  const stopWatching = access.watch(gateway);
  return {
    url: gateway.url,
    ...(own && { tokenFile: own.file }),
    close: async () => {
      stopWatching();
      await parts.api.close();
      await gateway.close();
    },
  };
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
