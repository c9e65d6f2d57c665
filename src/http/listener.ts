import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from '../contract/caller/index.ts';
import type { Log } from '../kernel/index.ts';
import type { Admission } from './admission.ts';
import { Connections } from './connections.ts';
import { ListenFailedError, OpenBindRefusedError } from './errors.ts';
import { respondJson, type Refusal } from './exchange.ts';
import { checkRequestHead, guardRules, handleCors, isLoopback, urlHost } from './guard.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import type { Identify, Identity } from './identity.ts';
import type { RequestLimits } from './request-limits.ts';
import { createRouter, refusalFormat, type Route, type RouteMatch } from './route.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly identify: Identify;
  /** Whether `identify` can refuse; required to listen beyond loopback. */
  readonly isAuthenticated: boolean;
  /** Host names of this server besides the loopback ones; `*` for any. */
  readonly allowedHosts?: readonly string[];
  /** Web origins (`https://app.example`) whose pages may call. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  /** What callers other than the user at this machine may ask for. */
  readonly requestLimits?: Pick<RequestLimits, 'admit'> | undefined;
  /** Whether calls may begin; every request on a route for callers that is not a GET counts as one. */
  readonly admission?: Pick<Admission, 'enter'> | undefined;
  /** Called for every request that a guard or the identity check refuses. Must not throw. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  readonly log: Log;
}

export interface RefusedRequest {
  readonly by: 'guard' | 'identity';
  readonly status: number;
  readonly message: string;
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  readonly address: string | undefined;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Breaks off the requests under way, streams included, of callers that have lost access. Returns their number. */
  dropCallers(hasLostAccess: (caller: Caller) => boolean): number;
  /** Stops accepting; requests that still run get `limitMs`, `closeLimitMs` if absent. */
  close(limitMs?: number): Promise<void>;
}

/**
 * The one HTTP listener. Every request passes, in this order: Host and Origin, CORS, the route, identity, the
 * method, the limits of its caller, admission. Throws `gateway.open_bind_refused` or `gateway.listen_failed`.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, log } = options;
  if (!isLoopback(host) && !options.isAuthenticated) throw new OpenBindRefusedError(host);
  const limits = { ...defaultHttpLimits, ...options.limits };
  const http = createHttpServer(limits);
  const connections = new Connections(http, limits);
  const serve = createHandler(options);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (!connections.begin(request, response)) return;
    for (const [name, value] of securityHeaders) response.setHeader(name, value);
    response.on('error', ignoreDisconnect);
    const onFailure = (error: unknown): void => {
      log.error('http request failed unexpectedly', { error });
      const format = refusalFormat(serve.match(request));
      respondJson(response, format({ status: 500, message: 'Internal error' }));
    };
    try {
      serve.handle(request, response)?.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
  // Without a checkContinue listener, Node would invite the body before its size is checked.
  http.on('request', onRequest).on('checkContinue', onRequest);
  const port = await listen(http, options);
  return {
    port,
    url: `http://${urlHost(host)}:${port}`,
    dropCallers: (hasLostAccess) => serve.drop(hasLostAccess),
    close: (limitMs = limits.closeLimitMs) => connections.close(http, limitMs),
  };
}

/** On every response; a handler may replace them. */
const securityHeaders: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'no-store'],
];

/** For clients whose URL lacks the path. */
const mcpHint = 'MCP is served at /mcp';

function ignoreDisconnect(): void {}

interface RequestHandler {
  match(request: IncomingMessage): RouteMatch | undefined;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
  drop(hasLostAccess: (caller: Caller) => boolean): number;
}

function createHandler(options: ListenerOptions): RequestHandler {
  const {
    identify,
    requestLimits,
    admission,
    host,
    allowedHosts = [],
    allowedOrigins = [],
  } = options;
  const underWay = new UnderWay();
  const guard = guardRules({ allowedHosts: [...allowedHosts, host], allowedOrigins });
  const findRoute = createRouter(options.routes);
  const match = ({ url = '' }: IncomingMessage): RouteMatch | undefined => {
    const queryAt = url.indexOf('?');
    return findRoute(queryAt === -1 ? url : url.slice(0, queryAt));
  };
  const handle: RequestHandler['handle'] = (request, response) => {
    const found = match(request);
    const refuse = (refusal: Refusal): undefined => {
      respondJson(response, refusalFormat(found)(refusal));
    };
    const refuseAs = (by: RefusedRequest['by'], refused: Refusal): undefined => {
      options.onRefused?.(refusedRequest(by, refused, request));
      return refuse(refused);
    };
    const refusal = checkRequestHead(request, guard);
    if (refusal) return refuseAs('guard', refusal);
    if (handleCors(request, response, guard.allowedOrigins)) return undefined;
    if (!found) {
      return refuse({ status: 404, message: `Nothing is served at this path. ${mcpHint}` });
    }
    const dispatch = (identity: Identity): Promise<void> | undefined => {
      const { route, params } = found;
      const caller = identity.kind === 'caller' ? identity.caller : undefined;
      if (route.access === 'caller' && identity.kind === 'refused') {
        return refuseAs('identity', identity.refusal);
      }
      if (!route.methods.includes(request.method ?? '')) {
        const headers = { allow: route.methods.join(', ') };
        return refuse({ status: 405, message: `Method not allowed here. ${mcpHint}`, headers });
      }
      const excess = caller && requestLimits?.admit(caller, request, response);
      if (excess) return refuse(excess);
      const isCall = route.access === 'caller' && !route.asksAdmission && request.method !== 'GET';
      const refused = isCall ? admission?.enter(response, caller) : undefined;
      if (refused) return refuse(refused);
      if (caller) underWay.add(caller, response);
      const exchange = { request, response, params };
      if (caller) return route.handle(exchange, caller);
      return route.access === 'open' ? route.handle(exchange, undefined) : undefined;
    };
    const identity = identify(request);
    return identity instanceof Promise ? identity.then(dispatch) : dispatch(identity);
  };
  return { match, handle, drop: (hasLostAccess) => underWay.drop(hasLostAccess) };
}

/** The responses that are not over, with their callers. The user at this machine cannot lose access. */
class UnderWay {
  readonly #callers = new Map<ServerResponse, Caller>();

  add(caller: Caller, response: ServerResponse): void {
    if (caller.role === undefined) return;
    this.#callers.set(response, caller);
    response.once('close', () => this.#callers.delete(response));
  }

  drop(hasLostAccess: (caller: Caller) => boolean): number {
    const dropped = [...this.#callers].filter(([, caller]) => hasLostAccess(caller));
    // Handlers take it for a client that disconnected, and abort what they were doing.
    for (const [response] of dropped) response.destroy();
    return dropped.length;
  }
}

function refusedRequest(
  by: RefusedRequest['by'],
  { status, message }: Refusal,
  { method = '', url = '', socket }: IncomingMessage,
): RefusedRequest {
  const [path = ''] = url.split('?', 1);
  return { by, status, message, method, path, address: socket.remoteAddress };
}

const maxHeaders = 100;
const maxHeaderBytes = 16_384;

function createHttpServer(limits: HttpLimits): Server {
  const http = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    noDelay: true,
    // Whatever NODE_OPTIONS says: lenient parsing lets two servers see two different requests.
    insecureHTTPParser: false,
    maxHeaderSize: maxHeaderBytes,
  });
  http.maxHeadersCount = maxHeaders;
  http.setTimeout(limits.readerStallMs);
  return http;
}

async function listen(http: Server, { host, port }: ListenerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) => reject(new ListenFailedError({ host, port }, error)));
    http.listen(port, host, resolve);
  });
  // A server that listens on TCP has an address of this shape.
  return (http.address() as AddressInfo).port;
}
