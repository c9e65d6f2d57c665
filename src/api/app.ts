import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { ForbiddenError, isPermitted } from '../contract/access/index.ts';
import type { KeptAnswer } from '../contract/answer/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import { headerOf, type HttpExchange } from '../http/index.ts';
import { digestJson } from '../kernel/index.ts';
import { AnswerCache } from './answer-cache.ts';
import { checkPart, readBody, readQuery } from './check-request.ts';
import type { ApiCall, ApiRoute } from './define-route.ts';
import { MethodNotAllowedError, NoSuchRouteError, NotPermittedError, problemOf } from './errors.ts';
import { RunEventStreams, StreamSlots } from './events/run-event-streams.ts';
import { TurnStreams } from './events/turn-streams.ts';
import { answerOnce, checkKey } from './idempotency.ts';
import { defaultApiLimits, type ApiLimits, type ApiPorts } from './ports.ts';
import { apiRoutes } from './route-table.ts';
import { sendJson, sendProblem, sendRead } from './send-answer.ts';

export const basePath = '/api/v1';

/** One request as the listener hands it over. */
interface Bindings {
  readonly exchange: HttpExchange;
  readonly caller: Caller;
}

interface ApiApp {
  handle(exchange: HttpExchange, caller: Caller): Promise<void>;
  drain(limitMs: number): Promise<void>;
  /** Ends every event stream. */
  close(): void;
}

/** What every route is served with. */
interface Serving {
  readonly ports: ApiPorts;
  readonly limits: ApiLimits;
  readonly streams: RunEventStreams;
  readonly turns: TurnStreams;
  readonly cache: AnswerCache;
}

/** Handlers write to the response of the listener themselves; Hono only needs to get something. */
const handled = new Response(null);

/**
 * The API on one Hono app. Hono finds the route; answers go straight to the response, as building a web `Request` and
 * reading a `Response` back costs more than the rest of a short request (bench/api).
 */
export function createApp(ports: ApiPorts): ApiApp {
  const limits = { ...defaultApiLimits, ...ports.limits };
  const slots = new StreamSlots(limits);
  const streams = new RunEventStreams(ports, limits, slots);
  const turns = new TurnStreams(limits, slots);
  const serving: Serving = { ports, limits, streams, turns, cache: new AnswerCache() };
  const app = new Hono<{ Bindings: Bindings }>();
  for (const route of apiRoutes) {
    const path = `${basePath}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    app.on(route.method.toUpperCase(), path, async (context) => {
      await serveRoute(route, serving, { ...context.env, params: context.req.param() });
      return handled;
    });
  }
  app.notFound((context) => {
    const { request, response } = context.env.exchange;
    sendProblem(response, problemOf(missing(app, request.method ?? '', context.req.path)));
    return handled;
  });
  return {
    async handle(exchange, caller) {
      const { method, url } = exchange.request;
      // Hono reads just these of a request, as long as handlers ask it for nothing else.
      const request = { method, url: `http://localhost${url}` } as Request;
      await app.fetch(request, { exchange, caller });
    },
    drain: async (limitMs) => {
      streams.close();
      await turns.untilIdle(limitMs);
    },
    close: () => {
      streams.close();
      turns.close();
    },
  };
}

const methods = ['GET', 'POST', 'DELETE'];

function missing(
  { router }: Pick<Hono<{ Bindings: Bindings }>, 'router'>,
  method: string,
  path: string,
): Error {
  const allowed = methods.filter((one) => router.match(one, path)[0].length > 0);
  return allowed.length > 0
    ? new MethodNotAllowedError(method, allowed)
    : new NoSuchRouteError(method, path);
}

interface RoutedRequest extends Bindings {
  readonly params: Readonly<Record<string, string>>;
}

async function serveRoute(
  route: ApiRoute,
  serving: Serving,
  { exchange, caller, params }: RoutedRequest,
): Promise<void> {
  const { request, response } = exchange;
  const { ports } = serving;
  try {
    permit(route, ports, { caller, request });
    const checkedParams = checkPart('path', route.params, params);
    const query = checkPart('query', route.query, readQuery(request));
    const given = route.method === 'post' ? await readBody(exchange, serving.limits) : emptyBody;
    // Refused and answered already, or the client is gone.
    if (given === undefined) return;
    const body = checkPart('body', route.body, given.value);
    const call = new CurrentCall({ exchange, caller, serving, params: checkedParams, query, body });
    if (route.serve) await route.serve(call, ports, exchange);
    else if (route.method === 'get') {
      const answer = await route.handle?.(call, ports);
      sendRead(exchange, serving.cache.body(answer) ?? JSON.stringify(answer));
    } else if (call.idempotencyKey === undefined || route.method !== 'post') {
      sendJson(exchange, await answerCall(route, call, ports));
    } else await answerKeyed(route, call, { exchange, ports });
  } catch (error) {
    // The role has the permission, and may not do just this: make a key of a higher role, call one of our own tools.
    if (error instanceof ForbiddenError) {
      record(route, ports, { caller, request, isAllowed: false, rule: error.message });
    }
    failRequest(error, { request, response, ports });
  }
}

const emptyBody = { value: {} };

/** The one place where permissions are enforced, and recorded. */
function permit(
  route: ApiRoute,
  ports: ApiPorts,
  { caller, request }: { readonly caller: Caller; readonly request: IncomingMessage },
): void {
  const { permission } = route;
  const isAllowed = isPermitted(caller, permission);
  const rule =
    caller.role === undefined ? 'the local user may do everything' : `role ${caller.role}`;
  record(route, ports, { caller, request, isAllowed, rule });
  if (!isAllowed) throw new NotPermittedError(permission);
}

interface Decision {
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly isAllowed: boolean;
  readonly rule: string;
}

function record(
  { permission, method }: ApiRoute,
  { audit }: ApiPorts,
  { caller, request, isAllowed, rule }: Decision,
): void {
  audit?.record({
    callerId: caller.id,
    tenant: caller.tenant ?? null,
    credential: caller.credential ?? null,
    action: permission,
    target: `${method.toUpperCase()} ${pathOf(request)}`.slice(0, maxTargetLength),
    isAllowed,
    rule,
    face: 'rest',
    argumentsDigest: null,
    address: request.socket.remoteAddress ?? null,
    traceId: headerOf(request, 'traceparent')?.split('-')[1] ?? null,
  });
}

const maxTargetLength = 300;

function pathOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at);
}

/** The answer as it is sent, and kept for a repeated request. */
async function answerCall(
  route: ApiRoute,
  call: CurrentCall,
  ports: ApiPorts,
): Promise<KeptAnswer> {
  const answer = await route.handle?.(call, ports);
  const location = route.location?.(answer);
  return {
    status: route.status ?? 200,
    location: location === undefined ? null : `${basePath}${location}`,
    text: route.status === 204 ? '' : JSON.stringify(answer),
  };
}

async function answerKeyed(
  route: ApiRoute,
  call: CurrentCall,
  { exchange, ports }: { readonly exchange: HttpExchange; readonly ports: ApiPorts },
): Promise<void> {
  const { caller, body, idempotencyKey: key = '' } = call;
  checkKey(key);
  const work = async (): Promise<KeptAnswer> => {
    try {
      return await answerCall(route, call, ports);
    } catch (error) {
      logBug(error, ports);
      const problem = problemOf(error);
      return { status: problem.status, location: null, text: JSON.stringify(problem) };
    }
  };
  const answer = await answerOnce(ports.answers, {
    caller,
    key,
    digest: digestJson([route.method, exchange.request.url, body]),
    repeat: route.repeat ?? 'once',
    isSecret: route.isSecret === true,
    work,
  });
  sendJson(exchange, answer);
}

function failRequest(
  error: unknown,
  {
    request,
    response,
    ports,
  }: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly ports: ApiPorts;
  },
): void {
  // The client is gone: what it asked for was stopped, which is no failure.
  if (request.socket.destroyed) return;
  logBug(error, ports);
  if (response.headersSent) response.destroy();
  else sendProblem(response, problemOf(error));
}

function logBug(error: unknown, { log }: Pick<ApiPorts, 'log'>): void {
  if (problemOf(error).code === 'internal.bug') log.error('api request failed', { error });
}

interface CallParts {
  readonly exchange: HttpExchange;
  readonly caller: Caller;
  readonly serving: Serving;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Makes what few routes use when it is asked for. */
class CurrentCall implements ApiCall<unknown, unknown, unknown> {
  readonly caller: Caller;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly limits: ApiLimits;
  readonly streams: RunEventStreams;
  readonly turns: TurnStreams;
  readonly cache: AnswerCache;
  readonly #exchange: HttpExchange;
  #abort: AbortController | undefined;

  constructor({ exchange, caller, serving, params, query, body }: CallParts) {
    this.#exchange = exchange;
    this.caller = caller;
    this.params = params;
    this.query = query;
    this.body = body;
    this.limits = serving.limits;
    this.streams = serving.streams;
    this.turns = serving.turns;
    this.cache = serving.cache;
  }

  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    const abort = (this.#abort = new AbortController());
    const { response } = this.#exchange;
    if (response.destroyed) abort.abort();
    else response.once('close', () => abort.abort());
    return abort.signal;
  }

  get meta(): Readonly<Record<string, unknown>> {
    const traceparent = headerOf(this.#exchange.request, 'traceparent');
    return traceparent === undefined ? {} : { traceparent };
  }

  get idempotencyKey(): string | undefined {
    return headerOf(this.#exchange.request, 'idempotency-key');
  }
}
