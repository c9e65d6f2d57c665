import { ForbiddenError } from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import type { Log } from '../kernel/index.ts';
import {
  encodeError,
  encodeResultText,
  metaOf,
  type Era,
  type Params,
  type Request,
  type RpcError,
} from '../protocol/index.ts';
import { RequestedLogLevels } from './log-levels.ts';
import { checkMethod, type ForbiddenMethod } from './method-permissions.ts';
import { createMethods, type Method } from './methods.ts';
import type { RequestClient } from './request-client.ts';
import type { RequestsInFlight, RunningRequest } from './requests-in-flight.ts';
import { explainFailure, unknownMethod, type Subject } from './rpc-failure.ts';

/** What every transport serves: one server, its methods, requested log levels and a log. */
export interface Serving {
  readonly server: McpServer;
  readonly methods: ReadonlyMap<string, Method>;
  readonly requestedLevels: RequestedLogLevels;
  readonly log: Log;
  /** Clients that speak only older versions are refused. */
  readonly minVersion: string | undefined;
  /** Called for every request that the caller's role does not allow, before it is refused. */
  readonly onForbidden?: ((refused: ForbiddenMethod) => void) | undefined;
  /** Called for every request whose headers say something else than its body, before it is refused. */
  readonly onHeaderMismatch?: ((refused: MismatchedRequest) => void) | undefined;
  /** Keys of `baggage` that reach tools and servers; all others are dropped. */
  readonly baggageKeys: readonly string[];
}

export interface MismatchedRequest {
  readonly caller: Caller;
  /** Of the body. */
  readonly method: string;
}

type ServingOptions = Pick<
  Serving,
  'minVersion' | 'onForbidden' | 'onHeaderMismatch' | 'baggageKeys'
>;

export function createServing(
  server: McpServer,
  log: Log,
  { minVersion, baggageKeys = [], ...listeners }: Partial<ServingOptions> = {},
): Serving {
  return {
    ...listeners,
    minVersion,
    baggageKeys,
    server,
    methods: createMethods(server),
    requestedLevels: new RequestedLogLevels(server),
    log,
  };
}

/** The origin of a request. */
export interface Origin {
  /** On whose behalf the request is made. */
  readonly caller: Caller;
  /** Sends a message related to the request; false when the transport cannot carry one. */
  readonly send: (text: string) => boolean;
  /** Identifies the client, where all requests of this transport come from one. */
  readonly peer?: string;
  /** Trace context of the transport, for requests that carry none in `_meta`. */
  readonly transportMeta?: Params | undefined;
  /** Lets the transport abort the request when its client is gone. */
  readonly attach?: ((running: RunningRequest) => void) | undefined;
}

/** The response to a request as text, and its error code if it is an error. */
export interface Reply {
  readonly text: string;
  readonly errorCode: number | undefined;
  /** It was refused because of who asked. */
  readonly isForbidden?: boolean;
}

/** A request that has started. */
export interface StartedRequest {
  readonly request: Request;
  readonly meta: Params;
  readonly running: RunningRequest;
}

/** How requests of one era are answered. */
export interface EraRules {
  readonly era: Era;
  readonly serving: Serving;
  /** The methods that only this era has. */
  readonly methods: ReadonlyMap<string, Method>;
  /** The client of a request. Throws when the request resumes a parked call that does not exist. */
  readonly connect: (started: StartedRequest, origin: Origin) => RequestClient;
  /** The JSON text of a result, with the members this era requires. */
  readonly encode: (result: object, method: string) => string;
}

/** Runs one request. Never throws; undefined when it was cancelled and needs no response. */
export async function answerRequest(
  request: Request,
  rules: EraRules,
  at: { readonly origin: Origin; readonly inFlight: RequestsInFlight },
): Promise<Reply | undefined> {
  let running: RunningRequest | undefined;
  let client: RequestClient | undefined;
  try {
    const method = rules.methods.get(request.method) ?? rules.serving.methods.get(request.method);
    if (!method) throw unknownMethod(request.method);
    checkMethod(request.method, at.origin.caller, rules.serving.onForbidden);
    running = at.inFlight.start(request.id);
    at.origin.attach?.(running);
    const meta = requestMeta(request.params, at.origin.transportMeta, rules.serving);
    const connected = rules.connect({ request, meta, running }, at.origin);
    client = connected;
    const exchange = { caller: at.origin.caller, running, meta, client: connected };
    const result = await connected.answer(() => method(request.params, exchange));
    if (running.isAborted) return undefined;
    const text = rules.encode(result, request.method);
    return { text: encodeResultText(request.id, text), errorCode: undefined };
  } catch (thrown) {
    if (running?.isAborted) return undefined;
    const isForbidden = thrown instanceof ForbiddenError;
    return { ...errorReply(request, explain(thrown, request, rules)), isForbidden };
  } finally {
    if (running) at.inFlight.finish(request.id);
    client?.finishRequest();
  }
}

export function errorReply(request: Request, error: RpcError): Reply {
  return { text: encodeError(request.id, error), errorCode: error.code };
}

function explain(thrown: unknown, request: Request, rules: EraRules): RpcError {
  const subject = subjectOf(request);
  const { era, serving } = rules;
  return explainFailure(thrown, { method: request.method, era, subject, log: serving.log });
}

function requestMeta(
  params: Params,
  transportMeta: Params | undefined,
  { baggageKeys }: Pick<Serving, 'baggageKeys'>,
): Params {
  const own = metaOf(params);
  const isTraced = transportMeta === undefined || own['traceparent'] !== undefined;
  const meta = isTraced ? own : { ...own, ...transportMeta };
  if (meta['baggage'] === undefined) return meta;
  const { baggage, ...rest } = meta;
  const allowed = allowedBaggage(baggage, baggageKeys);
  return allowed === undefined ? rest : { ...rest, baggage: allowed };
}

const maxBaggageLength = 2_048;

/** Those members of W3C baggage (`key=value;property,…`) whose key may be passed on. */
function allowedBaggage(baggage: unknown, keys: readonly string[]): string | undefined {
  if (typeof baggage !== 'string' || baggage.length > maxBaggageLength) return undefined;
  const members = baggage.split(',').map((member) => member.trim());
  const kept = members.filter((member) => keys.includes(/^[^=;\s]*/.exec(member)?.[0] ?? ''));
  return kept.length === 0 ? undefined : kept.join(',');
}

function subjectOf(request: Request): Subject | undefined {
  const { name, uri } = request.params;
  if (request.method === 'tools/call' && typeof name === 'string') return { kind: 'tool', name };
  if (request.method === 'prompts/get' && typeof name === 'string') return { kind: 'prompt', name };
  if (request.method === 'resources/read' && typeof uri === 'string') {
    return { kind: 'resource', name: uri };
  }
  return undefined;
}
