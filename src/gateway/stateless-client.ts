import { randomUUID } from 'node:crypto';
import type { Caller } from '../contract/caller/index.ts';
import type { ClientRequest, ProgressUpdate } from '../contract/server/index.ts';
import {
  encodeNotification,
  isRecord,
  metaKey,
  rpcErrorCode,
  type Params,
  type Request,
} from '../protocol/index.ts';
import { missingCapability } from './client-capability.ts';
import { ClientRefusedError, ConnectionClosedError } from './errors.ts';
import { isSevereEnough, logLevels, logMethod } from './log-levels.ts';
import type { ParkedCalls } from './parked-calls.ts';
import { progressText, type RequestClient } from './request-client.ts';
import { RpcFailure } from './rpc-failure.ts';
import type { RunningRequest } from './requests-in-flight.ts';

/** Requests within this time go to the client in one result. */
const gatherMs = 5;
const maxOpenAsks = 64;
/** The only methods that may return `input_required`. */
const askingMethods: readonly string[] = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'tasks/result',
];
const noMembers: Params = Object.freeze({});

/** The request being answered: the first one, or a later one that brought the input. */
export interface ActiveRequest {
  readonly caller: Caller;
  readonly request: Request;
  readonly meta: Params;
  readonly send: (text: string) => boolean;
  readonly peer?: string | undefined;
  readonly onEnd?: (() => void) | undefined;
}

interface OpenAsk {
  readonly request: ClientRequest;
  readonly resolve: (result: Params) => void;
}

interface Outcome {
  readonly resolve: (result: object) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The client of one call of the stateless era, which cannot receive requests. Asking it ends the request with
 * `input_required`; the call is parked and continues when the client returns.
 *
 * 1. There is at most one active request, and it ends with one response: a result, an error, or `input_required`.
 * 2. Each client request is answered once, or withdrawn when its signal or the call ends.
 * 3. While it is parked, nothing is sent: progress and log messages are dropped.
 */
export class StatelessClient implements RequestClient {
  readonly era = 'stateless';
  readonly capabilities: Params;
  readonly peer: string | undefined;
  readonly #running: RunningRequest;
  readonly #parked: ParkedCalls;
  readonly #asks = new Map<string, OpenAsk>();
  #id: string | undefined;
  #active: ActiveRequest | undefined;
  #outcome: Outcome | undefined;
  #work: Promise<object> | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #askCount = 0;
  #missing: Params | undefined;
  #isParked = false;
  readonly #canAsk: boolean;

  constructor(active: ActiveRequest, running: RunningRequest, parked: ParkedCalls) {
    const declared = active.meta[metaKey.clientCapabilities];
    this.capabilities = isRecord(declared) ? declared : noMembers;
    this.peer = active.peer;
    this.#canAsk = askingMethods.includes(active.request.method);
    this.#active = active;
    this.#running = running;
    this.#parked = parked;
  }

  get id(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  async ask(request: ClientRequest, signal: AbortSignal): Promise<Params> {
    const { method } = request;
    const requiredCapabilities = missingCapability(request, this.capabilities);
    if (requiredCapabilities) {
      this.#missing = { ...this.#missing, ...requiredCapabilities };
      const because = 'its request does not declare the capability for it';
      const reason = 'missing_capability';
      throw new ClientRefusedError(method, { reason, because, requiredCapabilities });
    }
    if (!this.#canAsk) {
      const because = 'its method cannot return input_required';
      throw new ClientRefusedError(method, { reason: 'unreachable', because });
    }
    if (this.#asks.size >= maxOpenAsks) {
      const because = `it already has ${maxOpenAsks} pending requests`;
      throw new ClientRefusedError(method, { reason: 'too_many', because });
    }
    const ended = AbortSignal.any([signal, this.#running.signal]);
    ended.throwIfAborted();
    const key = `${method.split('/', 1)[0]}-${(this.#askCount += 1)}`;
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    const onAbort = (): void => reject(ended.reason);
    ended.addEventListener('abort', onAbort, { once: true });
    this.#asks.set(key, { request, resolve });
    this.#gather();
    try {
      return await promise;
    } finally {
      ended.removeEventListener('abort', onAbort);
      this.#asks.delete(key);
    }
  }

  notify(method: string, params: Params): void {
    if (!this.#active || this.#running.isAborted) return;
    if (method === logMethod) {
      const wanted = wantedLogLevel(this.#active.meta);
      if (wanted === undefined || !isSevereEnough(params, wanted)) return;
    }
    this.#active.send(encodeNotification(method, params));
  }

  progress(update: ProgressUpdate): void {
    if (!this.#active || this.#running.isAborted) return;
    const text = progressText(this.#active.meta, update);
    if (text !== undefined) this.#active.send(text);
  }

  /**
   * The client returned: accepts its answers; missing ones are requested again. Aborting the new request aborts
   * the call.
   */
  resume(active: ActiveRequest, running: RunningRequest): void {
    this.#isParked = false;
    this.#active = active;
    running.bind(this.#running);
    const responses = active.request.params['inputResponses'];
    if (!isRecord(responses)) return;
    for (const [key, ask] of this.#asks) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isRecord(response)) continue;
      this.#asks.delete(key);
      ask.resolve(response);
    }
  }

  answer(start: () => Promise<object>): Promise<object> {
    this.#work ??= this.#guard(start);
    const outcome = Promise.withResolvers<object>();
    this.#outcome = outcome;
    this.#work.then(outcome.resolve, outcome.reject);
    if (this.#asks.size > 0) this.#gather();
    return outcome.promise;
  }

  finishRequest(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#outcome = undefined;
    this.#active?.onEnd?.();
    this.#active = undefined;
    if (!this.#isParked && this.#asks.size > 0) this.stop(new ConnectionClosedError());
  }

  /** Aborts the call itself. */
  stop(reason: Error): void {
    this.#running.abort(reason);
  }

  /** A call that failed after a missing client capability is reported as failed for that reason. */
  async #guard(start: () => Promise<object>): Promise<object> {
    let result: object;
    try {
      result = await start();
    } catch (error) {
      throw this.#missing ? lacking(this.#missing) : error;
    }
    if (this.#missing && 'isError' in result && result.isError === true) {
      throw lacking(this.#missing);
    }
    return result;
  }

  /** Without an active request there is nothing to answer: the questions go out with the next one. */
  #gather(): void {
    if (this.#outcome) this.#gathering ??= setTimeout(() => this.#askClient(), gatherMs);
  }

  #askClient(): void {
    this.#gathering = undefined;
    if (!this.#outcome || !this.#active || this.#asks.size === 0) return;
    const { resolve, reject } = this.#outcome;
    try {
      const requestState = this.#parked.park(this, this.#active.request, this.#active.caller);
      this.#isParked = true;
      resolve({ resultType: 'input_required', inputRequests: this.#questions(), requestState });
    } catch (error) {
      reject(error);
    }
    this.finishRequest();
  }

  #questions(): Params {
    const entries = [...this.#asks].map(([key, { request }]) => [key, request] as const);
    return Object.fromEntries(entries);
  }
}

function lacking(requiredCapabilities: Params): RpcFailure {
  const names = Object.keys(requiredCapabilities).join(', ');
  return new RpcFailure({
    code: rpcErrorCode.missingClientCapability,
    message: `The request needs client capabilities that it does not declare: ${names}`,
    data: { requiredCapabilities },
  });
}

/** The log level that a request asks for; undefined for none. */
export function wantedLogLevel(meta: Params): string | undefined {
  const level = meta[metaKey.logLevel];
  return typeof level === 'string' && logLevels.includes(level) ? level : undefined;
}
