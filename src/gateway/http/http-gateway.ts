import { isServerInScope } from '../../contract/access/index.ts';
import { localCaller, type Caller } from '../../contract/caller/index.ts';
import {
  Admission,
  createIdentify,
  defaultHttpLimits,
  startListener,
  type HttpExchange,
  type HttpLimits,
  type IdentityOptions,
  type Listener,
  type ListenerOptions,
  type Route,
} from '../../http/index.ts';
import {
  SharedTimeout,
  systemClock,
  type Clock,
  type Log,
  type Secret,
} from '../../kernel/index.ts';
import { createServing, type MismatchedRequest } from '../answer-request.ts';
import type { ForbiddenMethod } from '../method-permissions.ts';
import { HealthEndpoints, type HealthParts } from './health-endpoints.ts';
import { HomeEndpoint, type Overview, type PageLink } from './home-page.ts';
import {
  defaultMcpLimits,
  rpcRefusal,
  type HttpCall,
  type McpLimits,
  type SessionSharing,
} from './http-parts.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { messagesPath, SseEndpoint } from './sse-endpoint.ts';

export interface McpRouteOptions {
  readonly server: HealthParts['server'];
  readonly log: Log;
  /** The version that `/health` shows. */
  readonly version: string;
  /** State of the servers of the fleet, for the page at `/`; without it only the tools are shown. */
  readonly servers?: () => Promise<Overview['servers']>;
  /** Other pages of this server, for the page at `/`. */
  readonly links?: readonly PageLink[];
  readonly isAuthenticated: boolean;
  /** Called for every request that the caller's role does not allow. */
  readonly onForbidden?: ((refused: ForbiddenMethod) => void) | undefined;
  /** Called for every request whose headers say something else than its body. */
  readonly onHeaderMismatch?: ((refused: MismatchedRequest) => void) | undefined;
  /** Keys of `baggage` that reach tools and servers. */
  readonly baggageKeys?: readonly string[] | undefined;
  /** Parameters of `WWW-Authenticate` that say where a token is to be had. */
  readonly challenge?: string | undefined;
  /** The oldest protocol version that is served. */
  readonly minProtocolVersion?: string | undefined;
  readonly sessions: SessionSharing;
  /** Default: one of its own. */
  readonly admission?: Admission | undefined;
  readonly limits?: Partial<HttpLimits & McpLimits>;
  readonly clock?: Clock;
}

export interface McpRoutes {
  readonly routes: readonly Route[];
  /** Takes no new calls, ends the streams that wait for changes, and resolves when no call runs, or after `limitMs`. */
  drain(limitMs: number): Promise<void>;
  /** Ends every session and stream. */
  close(): void;
}

/** The MCP endpoints, the probes and the page at `/`, to mount on a listener. */
export function createMcpRoutes(options: McpRouteOptions): McpRoutes {
  const limits = { ...defaultHttpLimits, ...defaultMcpLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const { server, log, onForbidden, onHeaderMismatch, baggageKeys = [], challenge } = options;
  const minVersion = options.minProtocolVersion;
  const listeners = { onForbidden, onHeaderMismatch };
  const serving = createServing(server, log, { minVersion, baggageKeys, ...listeners });
  const slowness = new SharedTimeout(limits.streamHeartbeatMs);
  const { sessions, admission = new Admission() } = options;
  const parts = { serving, sessions, admission, limits, clock, slowness, challenge };
  const mcp = new McpEndpoint(parts);
  const sse = new SseEndpoint(parts);
  const sweep = setInterval(() => mcp.sessions.closeIdle(), limits.checkEveryMs).unref();
  return {
    routes: [...mcpRoutes(mcp, sse), ...openRoutes({ ...options, admission }, clock, mcp)],
    drain: async (limitMs) => {
      admission.drain();
      mcp.drain();
      await Promise.all([admission.untilIdle(limitMs), sse.untilIdle(limitMs)]);
    },
    close: () => {
      clearInterval(sweep);
      mcp.close();
      sse.close();
    },
  };
}

function mcpRoutes(mcp: McpEndpoint, sse: SseEndpoint): Route[] {
  const route = (
    path: string,
    methods: readonly string[],
    serve: (call: HttpCall) => Promise<void> | undefined,
  ): Route => ({
    path,
    methods,
    access: 'caller',
    refusals: rpcRefusal,
    asksAdmission: true,
    handle: ({ request, response, params }, caller) => serve({ request, response, params, caller }),
  });
  return [
    route('/mcp', ['GET', 'POST', 'DELETE'], (call) => mcp.serve(call)),
    route('/sse', ['GET'], (call) => done(sse.listen(call))),
    route(messagesPath, ['POST'], (call) => sse.post(call)),
  ];
}

function openRoutes(
  options: McpRouteOptions & { readonly admission: Admission },
  clock: Clock,
  mcp: McpEndpoint,
): Route[] {
  const { server, version, log, isAuthenticated, admission, links = [] } = options;
  const isDraining = (): boolean => admission.isDraining;
  const health = new HealthEndpoints({ server, version, isAuthenticated, isDraining, log, clock });
  const overview = async (caller: Caller): Promise<Overview> => {
    const tools = await server.listTools(caller);
    const servers = (await options.servers?.()) ?? [];
    return { servers: servers.filter(({ name }) => isServerInScope(caller, name)), tools };
  };
  const home = new HomeEndpoint({ version, isAuthenticated, overview, links, log });
  const route = (
    path: string,
    serve: (exchange: HttpExchange, caller: Caller | undefined) => Promise<void> | undefined,
  ): Route => ({ path, methods: ['GET', 'HEAD'], access: 'open', handle: serve });
  return [
    route('/', (exchange, caller) => home.serve(exchange, caller)),
    route('/health', (exchange) => done(health.health(exchange, mcp.sessions.sessionCount))),
    route('/ready', (exchange, caller) => health.ready(exchange, caller)),
  ];
}

/** For handlers that have responded when they return. */
function done(_responded: void): undefined {}

export interface HttpGatewayOptions
  extends
    Omit<McpRouteOptions, 'isAuthenticated' | 'challenge'>,
    Omit<ListenerOptions, 'routes' | 'identify' | 'isAuthenticated' | 'limits' | 'admission'> {
  /** Served on the same listener. */
  readonly routes?: readonly Route[];
  /** The machine's own; without it and `identity`, everyone on this machine is its user. */
  readonly token?: Secret | undefined;
  /** Who else may call. */
  readonly identity?: Omit<IdentityOptions, 'token' | 'caller'> | undefined;
}

export type HttpGateway = Listener & Pick<McpRoutes, 'drain'>;

/** Serves MCP on a listener of its own, to clients that authenticate. */
export async function startHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const { token, identity, admission = new Admission() } = options;
  const isAuthenticated =
    token !== undefined || (identity?.verify !== undefined && identity.isOpen !== true);
  const challenge = identity?.challenge;
  const mcp = createMcpRoutes({ ...options, admission, isAuthenticated, challenge });
  try {
    const identify = createIdentify({ ...identity, token, caller: localCaller });
    const listener = await startListener({
      ...options,
      routes: [...mcp.routes, ...(options.routes ?? [])],
      admission,
      identify,
      isAuthenticated,
    });
    return {
      ...listener,
      drain: (limitMs) => mcp.drain(limitMs),
      close: async (limitMs) => {
        mcp.close();
        await listener.close(limitMs);
      },
    };
  } catch (error) {
    mcp.close();
    throw error;
  }
}
