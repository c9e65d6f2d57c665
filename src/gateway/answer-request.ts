import type { McpServer } from '../contract/server/index.ts';
import type { Log } from '../kernel/index.ts';
import {
  encodeError,
  encodeResult,
  metaOf,
  rpcErrorCode,
  type Era,
  type Params,
  type Request,
  type RpcError,
} from '../protocol/index.ts';
import { createMethods, type Method } from './methods.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import { explainFailure, RpcFailure, type Subject } from './rpc-failure.ts';

/** What every transport serves: one server, its methods and where bugs are logged. */
export interface Serving {
  readonly server: McpServer;
  readonly methods: ReadonlyMap<string, Method>;
  readonly log: Log;
}

export function createServing(server: McpServer, log: Log): Serving {
  return { server, methods: createMethods(server), log };
}

/** Where a request came from, as far as answering it needs to know. */
export interface Origin {
  readonly inFlight: RequestsInFlight;
  /** Sends a notification that belongs to the request. */
  readonly notify: (text: string) => void;
  /** Trace context of the transport, for requests that carry none in `_meta`. */
  readonly transportMeta?: Params | undefined;
  /** Ends the request when the transport knows that nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a request as text, and its error code if it is one. */
export interface Reply {
  readonly text: string;
  readonly errorCode: number | undefined;
}

/** How one era answers. */
export interface EraRules {
  readonly era: Era;
  readonly serving: Serving;
  /** The methods only this era has. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Gives a result the members this era requires. */
  readonly complete: (result: object, method: string) => object;
}

/** Runs one request to its answer. Never throws; undefined when it was cancelled: then nobody listens. */
export async function answerRequest(
  request: Request,
  rules: EraRules,
  origin: Origin,
): Promise<Reply | undefined> {
  let isRunning = false;
  let signal: AbortSignal | undefined;
  try {
    const method = rules.methods.get(request.method) ?? rules.serving.methods.get(request.method);
    if (!method) throw unknownMethod(request.method);
    const controller = origin.inFlight.start(request.id);
    isRunning = true;
    ({ signal } = controller);
    if (origin.signal) follow(controller, origin.signal);
    const exchange = {
      signal,
      meta: requestMeta(request.params, origin.transportMeta),
      notify: (text: string) => {
        if (isRunning && !controller.signal.aborted) origin.notify(text);
      },
    };
    const result = await method(request.params, exchange);
    if (signal.aborted) return undefined;
    return {
      text: encodeResult(request.id, rules.complete(result, request.method)),
      errorCode: undefined,
    };
  } catch (thrown) {
    if (signal?.aborted) return undefined;
    return errorReply(request, explain(thrown, request, rules));
  } finally {
    if (isRunning) origin.inFlight.finish(request.id);
    isRunning = false;
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

const maxShownLength = 100;

function unknownMethod(method: string): RpcFailure {
  const shown = method.length > maxShownLength ? `${method.slice(0, maxShownLength)}…` : method;
  return new RpcFailure({
    code: rpcErrorCode.methodNotFound,
    message: `Method not found: ${shown}`,
  });
}

function follow(controller: AbortController, signal: AbortSignal): void {
  if (signal.aborted) controller.abort(signal.reason);
  else
    signal.addEventListener('abort', () => controller.abort(signal.reason), {
      once: true,
      signal: controller.signal,
    });
}

function requestMeta(params: Params, transportMeta: Params | undefined): Params {
  const meta = metaOf(params);
  return transportMeta && meta['traceparent'] === undefined ? { ...meta, ...transportMeta } : meta;
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
