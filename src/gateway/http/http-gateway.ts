import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  SharedTimeout,
  systemClock,
  type Clock,
  type Log,
  type Secret,
} from '../../kernel/index.ts';
import { createServing } from '../answer-request.ts';
import { ListenFailedError, OpenBindRefusedError } from '../errors.ts';
import { Connections } from './connections.ts';
import { handleCors } from './cors.ts';
import {
  checkHostAndOrigin,
  checkToken,
  guardRules,
  isLoopback,
  urlHost,
  type GuardRules,
} from './guard.ts';
import { HealthEndpoints, type HealthParts } from './health-endpoints.ts';
import { HomeEndpoint } from './home-endpoint.ts';
import type { Overview } from './home-page.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import type { HttpCall, HttpParts } from './http-parts.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { refuse } from './respond.ts';
import { messagesPath, SseEndpoint } from './sse-endpoint.ts';

export interface HttpGatewayOptions {
  readonly server: HealthParts['server'];
  readonly log: Log;
  /** The version that `/health` shows. */
  readonly version: string;
  /** How the servers behind are doing, for the page at `/`; without it only the tools are shown. */
  readonly servers?: () => Promise<Overview['servers']>;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Who calls must show it. Required to listen on anything but loopback. */
  readonly token?: Secret | undefined;
  /** Names this server is reached by, besides the loopback ones; `*` for any. */
  readonly allowedHosts?: readonly string[];
  /** Web origins (`https://app.example`) whose pages may call. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  readonly clock?: Clock;
}

export interface HttpGateway {
  readonly url: string;
  readonly port: number;
  /** Ends every stream and session; requests that still run get `closeLimitMs`. */
  close(): Promise<void>;
}

/** Starts listening. Throws `gateway.open_bind_refused` or `gateway.listen_failed`. */
export async function startHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const { host, token } = options;
  if (!isLoopback(host) && token === undefined) throw new OpenBindRefusedError(host);
  const limits = { ...defaultHttpLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const serving = createServing(options.server, options.log);
  const slowness = new SharedTimeout(limits.streamHeartbeatMs);
  const parts = { serving, limits, clock, slowness };
  const endpoints = createEndpoints(options, parts);
  const http = createHttpServer(limits);
  const connections = new Connections(http, limits);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    connections.begin(request, response);
    response.on('error', ignore);
    const onFailure = (error: unknown): void => {
      options.log.error('http request failed unexpectedly', { error });
      refuse(response, { status: 500, message: 'Internal error' });
    };
    try {
      route({ request, response }, endpoints)?.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
  // Node would say "go on" before the size is checked.
  http.on('request', onRequest).on('checkContinue', onRequest);
  const port = await listen(http, options);
  const sweep = setInterval(() => endpoints.mcp.sessions.endIdle(), limits.checkEveryMs).unref();
  return {
    port,
    url: `http://${urlHost(host)}:${port}`,
    close: async () => {
      clearInterval(sweep);
      endpoints.mcp.close();
      endpoints.sse.close();
      await connections.close(http, limits.closeLimitMs);
    },
  };
}

/** A client that left is no failure of ours. */
function ignore(): void {}

interface Endpoints {
  readonly guard: GuardRules;
  readonly mcp: McpEndpoint;
  readonly sse: SseEndpoint;
  readonly home: HomeEndpoint;
  readonly routes: ReadonlyMap<string, Route>;
}

function createEndpoints(options: HttpGatewayOptions, parts: HttpParts): Endpoints {
  const { host, allowedHosts = [], allowedOrigins = [], token, server, version, log } = options;
  const mcp = new McpEndpoint(parts);
  const sse = new SseEndpoint(parts);
  const health = new HealthEndpoints({ server, version, token, log, clock: parts.clock });
  const overview = async (): Promise<Overview> => {
    const tools = await server.listTools();
    return { servers: (await options.servers?.()) ?? [], tools };
  };
  return {
    home: new HomeEndpoint({ version, token, overview, log }),
    guard: guardRules({ allowedHosts: [...allowedHosts, host], allowedOrigins, token }),
    mcp,
    sse,
    routes: createRoutes({ mcp, sse, health }),
  };
}

function route(call: HttpCall, endpoints: Endpoints): Promise<void> | undefined {
  const { request, response } = call;
  const { guard } = endpoints;
  const refusal = checkHostAndOrigin(request, guard);
  if (refusal) {
    refuse(response, refusal);
    return undefined;
  }
  if (handleCors(request, response, guard.allowedOrigins)) return undefined;
  const { url = '' } = request;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  if (path === '/' && endpoints.home.isFor(call)) return endpoints.home.serve(call);
  const serve = endpoints.routes.get(path);
  if (!serve) {
    const message = 'There is nothing at this path. MCP is served at /mcp';
    refuse(response, { status: 404, message });
    return undefined;
  }
  const unauthorized = serve.isOpen ? undefined : checkToken(request, guard.token);
  if (unauthorized) refuse(response, unauthorized);
  else if (serve.methods.includes(request.method ?? '')) return serve.handle(call);
  else {
    const headers = { allow: serve.methods.join(', ') };
    refuse(response, { status: 405, message: 'Method not allowed', headers });
  }
  return undefined;
}

interface Route {
  readonly methods: readonly string[];
  /** True for what probes ask, which have no token. */
  readonly isOpen?: true;
  readonly handle: (call: HttpCall) => Promise<void> | undefined;
}

function createRoutes({
  mcp,
  sse,
  health,
}: Pick<Endpoints, 'mcp' | 'sse'> & { readonly health: HealthEndpoints }): Endpoints['routes'] {
  return new Map<string, Route>([
    ['/mcp', { methods: ['GET', 'POST', 'DELETE'], handle: (call) => mcp.serve(call) }],
    ['/sse', { methods: ['GET'], handle: atOnce((call) => sse.listen(call)) }],
    [messagesPath, { methods: ['POST'], handle: (call) => sse.post(call, queryOf(call)) }],
    [
      '/health',
      {
        methods: ['GET', 'HEAD'],
        isOpen: true,
        handle: atOnce((call) => health.health(call, mcp.sessions.sessionCount)),
      },
    ],
    ['/ready', { methods: ['GET', 'HEAD'], isOpen: true, handle: (call) => health.ready(call) }],
  ]);
}

/** For what is done when the call returns. */
function atOnce(handle: (call: HttpCall) => void): Route['handle'] {
  return (call) => {
    handle(call);
    return undefined;
  };
}

function queryOf({ request: { url = '' } }: HttpCall): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

const maxHeaders = 100;

function createHttpServer(limits: HttpLimits): Server {
  const http = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    noDelay: true,
  });
  http.maxHeadersCount = maxHeaders;
  return http;
}

async function listen(http: Server, { host, port }: HttpGatewayOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => reject(new ListenFailedError({ host, port }, error)));
    http.listen(port, host, resolve);
  });
  // A server that listens on TCP has an address of this shape.
  return (http.address() as AddressInfo).port;
}
