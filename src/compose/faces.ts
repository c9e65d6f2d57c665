import type { Readable, Writable } from 'node:stream';
import type { Settings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import { type Catalogue, shortListAbove } from '../contract/catalogue/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import { compactCatalogue, type OpenFleet } from '../fleet/index.ts';
import { createHttpGateway, serveStdio as serveGateway } from '../gateway/index.ts';
import type { Route } from '../http/index.ts';
import type { Log } from '../kernel/index.ts';
import type { Metrics } from '../observe/index.ts';
import type { AccessHere } from './access.ts';
import type { Roots } from './roots.ts';
import { openServeToken } from './data-directory.ts';
import { tuneCollector } from './tune-collector.ts';

interface FaceParts extends FaceCatalogues {
  readonly settings: Settings;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly log: Log;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly roots: Pick<Roots, 'follow'>;
  readonly access: Pick<AccessHere, 'serving'>;
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

/** Serves MCP over HTTP until it is closed. */
export async function serveHttp(parts: FaceParts): Promise<HttpListener> {
  const { isLoopback } = await import('../http/index.ts');
  tuneCollector();
  const { server, home } = parts.settings;
  const { host, port } = server;
  // Beyond this machine the token is the user's own choice: the gateway refuses to start without one.
  const isOurs = server.auth_token === undefined && server.require_token && isLoopback(host);
  const own = isOurs ? openServeToken(home) : undefined;
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
    allowedHosts: server.allowed_hosts,
    allowedOrigins: server.allowed_origins,
    limits: { maxRequestBytes: server.max_request_bytes },
    ...access.options,
    routes: [metricsRoute(parts.metrics), ...access.routes],
  });
  const stopWatching = access.watch(gateway);
  return {
    url: gateway.url,
    ...(own && { tokenFile: own.file }),
    close: () => {
      stopWatching();
      return gateway.close();
    },
  };
}

/** `/metrics`, for Prometheus. Names of servers and tools are for authenticated callers. */
function metricsRoute(metrics: FaceParts['metrics']): Route {
  return {
    path: '/metrics',
    methods: ['GET'],
    access: 'caller',
    handle: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(metrics.render());
      return undefined;
    },
  };
}

/** What clients see: every tool, a few that find and call the others, or what their number asks for. */
export type Face = 'compact' | 'all' | 'auto';

const finders = ['admin.find_tools', 'admin.call_tool'];
const alsoShown = ['admin.list_tools', 'agent.ask'];

/** The catalogue as clients of each face see it. */
interface FaceCatalogues {
  readonly stdioCatalogue: Catalogue;
  readonly httpCatalogue: Catalogue;
}

/** `auto` leaves it to the setting `server.compact`. Over HTTP every tool is shown unless something asks for fewer. */
export function chooseFace(
  catalogue: OpenFleet['catalogue'],
  settings: Settings,
  wanted: Face,
): FaceCatalogues {
  const { compact, pinned_tools: pinnedTools } = settings.server;
  const pinned = [...alsoShown, ...pinnedTools];
  const bySetting: Face = compact === 'on' ? 'compact' : compact === 'off' ? 'all' : 'auto';
  const show = (face: Face): Catalogue => {
    if (face === 'all') return catalogue;
    return compactCatalogue(catalogue, {
      maxTools: face === 'compact' ? 0 : shortListAbove,
      finders,
      pinned,
    });
  };
  const chosen = wanted === 'auto' ? bySetting : wanted;
  return {
    stdioCatalogue: show(chosen),
    httpCatalogue: show(chosen === 'auto' ? 'all' : chosen),
  };
}
