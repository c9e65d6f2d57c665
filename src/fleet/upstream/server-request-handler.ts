import type { CallContext, ClientRequest } from '../../contract/server/index.ts';
import { AppError, type Clock } from '../../kernel/index.ts';
import {
  encodeError,
  encodeResult,
  isRecord,
  metaOf,
  rpcErrorCode,
  type Era,
  type Params,
  type Request,
  type RequestId,
  type RpcError,
} from '../../protocol/index.ts';
import { isAskable, withServerName, refusalOf } from './client-capabilities.ts';
import type { ClientScheduler } from './client-scheduler.ts';
import type { OrphanedCalls } from './orphaned-calls.ts';
import type { SentRequest } from './upstream-connection.ts';
import { upstreamLimits } from './upstream-limits.ts';

/** The roots of the single client that all calls come from, where there is one. */
export interface ClientRoots {
  /** Its answer to `roots/list`; undefined without such a client. */
  list(signal: AbortSignal): Promise<Params> | undefined;
  /** Calls `listener` when the roots changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface ServerRequestParts {
  /** The server's name in the fleet. */
  readonly server: string;
  /** Stateless servers ask through `input_required` results and send no requests. */
  readonly era: Era;
  readonly scheduler: ClientScheduler;
  /** The calls in flight. */
  readonly calls: () => readonly SentRequest[];
  readonly find: (id: RequestId | undefined) => SentRequest | undefined;
  readonly orphaned: OrphanedCalls;
  readonly clientRoots: ClientRoots | undefined;
  readonly reply: (text: string) => void;
  readonly onProblem: (problem: string) => void;
  readonly clock: Clock;
}

/**
 * Handles requests from a handshake server: elicitation, sampling and roots go only to the client whose call
 * they belong to.
 *
 * 1. Where the transport ties a request to a call, or the request names a task, the client of that call or
 *    task is asked.
 * 2. Otherwise the request waits until all calls in flight belong to one client; from then on the server
 *    receives one client's calls at a time (`ClientScheduler`).
 * 3. An orphaned call stays in flight until the server answers it or ends: a request that may belong to an
 *    orphaned call of another client is refused.
 * 4. `roots/list` outside any call, as many servers send it at their start, is answered for the only client.
 *    The list is empty without a call, and with several clients right after the handshake.
 * 5. Every request is answered once, unless the server cancels it.
 */
export class ServerRequestHandler {
  readonly #parts: ServerRequestParts;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #openedAt: number;

  constructor(parts: ServerRequestParts) {
    this.#parts = parts;
    this.#openedAt = parts.clock.now();
  }

  answer(request: Request, during: RequestId | undefined): void {
    const { era, reply, onProblem } = this.#parts;
    const { id, method } = request;
    if (method === 'ping') {
      reply(encodeResult(id, {}));
      return;
    }
    if (!isAskable(method) || era === 'stateless') {
      onProblem('sent a request that no client supports');
      reply(encodeError(id, refused(rpcErrorCode.methodNotFound, 'Method not found')));
      return;
    }
    if (this.#open.has(id)) {
      onProblem('reused the id of a pending request');
      return;
    }
    if (this.#open.size >= upstreamLimits.maxAsks) {
      onProblem('sent too many requests at once');
      reply(encodeError(id, refused(rpcErrorCode.internalError, 'Too many open questions')));
      return;
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    void this.#answerAsk(request, during, controller.signal).finally(() => this.#open.delete(id));
  }

  /** The server cancelled its request. */
  cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#open.get(id)?.abort(new DOMException('The server cancelled its request', 'AbortError'));
  }

  close(): void {
    for (const controller of this.#open.values()) {
      controller.abort(new DOMException('The connection to the server ended', 'AbortError'));
    }
  }

  async #answerAsk(
    request: Request,
    during: RequestId | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { id } = request;
    let text: string;
    try {
      text = encodeResult(id, await this.#ask(request, during, signal));
    } catch (thrown) {
      text = encodeError(id, thrown instanceof AskRefusal ? thrown.error : rpcErrorOf(thrown));
    }
    if (signal.aborted) return;
    this.#parts.reply(text);
  }

  async #ask(
    { method, params }: Request,
    during: RequestId | undefined,
    signal: AbortSignal,
  ): Promise<Params> {
    const isForRoots = during === undefined && method === 'roots/list';
    const roots = isForRoots ? this.#parts.clientRoots?.list(signal) : undefined;
    if (roots) return roots;
    // No await between arrival and here: a call answered right after the request still counts.
    const call = await this.#callOf({ method, params }, during, signal);
    const client = call?.client;
    const refusal = client
      ? refusalOf(client, method, params)
      : refused(rpcErrorCode.methodNotFound, 'No client can be asked: no call is running');
    if (client && call && !refusal) {
      const stopAsking = this.#parts.scheduler.beginAsking(client.id);
      const both = AbortSignal.any([signal, call.signal]);
      const question = withServerName(this.#parts.server, { method, params });
      return client.ask(question, both).finally(stopAsking);
    }
    // A client without roots support has no roots, which is a valid answer.
    if (method === 'roots/list') return { roots: [] };
    throw new AskRefusal(refusal ?? refused(rpcErrorCode.internalError, 'Internal error'));
  }

  /** The call a request belongs to; undefined when none runs. Throws when it stays ambiguous. */
  async #callOf(
    { method, params }: ClientRequest,
    during: RequestId | undefined,
    signal: AbortSignal,
  ): Promise<CallContext | undefined> {
    const { scheduler, find, calls, orphaned, onProblem } = this.#parts;
    if (during !== undefined) return find(during)?.options.context;
    const task = metaOf(params)[relatedTaskKey];
    if (isRecord(task)) {
      const { taskId } = task;
      const isOfTask = (call: SentRequest): boolean =>
        call.method.startsWith('tasks/') && call.subject === taskId;
      return calls().findLast(isOfTask)?.options.context;
    }
    const isAmbiguous = scheduler.clients > 1;
    const isForRoots = method === 'roots/list';
    if (isForRoots && isAmbiguous && this.#isSettling) return undefined;
    // Roots need no user interaction, so they alone do not serialize clients.
    if (!isForRoots || isAmbiguous) scheduler.requireExclusive();
    const call = isAmbiguous ? await this.#untilOneClient(signal) : this.#latestCall();
    if (!call || !orphaned.hasOthers(call.client)) return call;
    if (isForRoots) return undefined;
    onProblem('sent a request that may belong to an orphaned call');
    throw new AskRefusal(refused(rpcErrorCode.internalError, ofOthersMessage));
  }

  get #isSettling(): boolean {
    return this.#parts.clock.now() - this.#openedAt < upstreamLimits.settlingMs;
  }

  /** When all calls belong to one client, the latest can carry the request. */
  #latestCall(): CallContext | undefined {
    const calls = this.#parts.calls();
    return calls.findLast(({ options }) => options.context?.client)?.options.context;
  }

  /** Resolves with the latest call in the tick its client is alone: other calls may start before the await continues. */
  async #untilOneClient(signal: AbortSignal): Promise<CallContext | undefined> {
    const { scheduler, onProblem } = this.#parts;
    const decided = Promise.withResolvers<CallContext | undefined>();
    const stop = scheduler.watch(() => {
      if (scheduler.clients <= 1) decided.resolve(this.#latestCall());
    });
    const onAbort = (): void => decided.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      onProblem('sent an ambiguous request while several clients had calls running');
      const message = 'Several clients have calls running, and the request names none of them';
      decided.reject(new AskRefusal(refused(rpcErrorCode.internalError, message)));
    }, upstreamLimits.holdMs);
    try {
      return await decided.promise;
    } finally {
      stop();
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** The `_meta` key that relates a request to a task. */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

const ofOthersMessage =
  'An abandoned call of another client is still unanswered, and this request may belong to it. ' +
  'Requests are possible again once it is answered or the server is restarted';

class AskRefusal extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

function refused(code: number, message: string): RpcError {
  return { code, message };
}

/** The client's own error where known. */
function rpcErrorOf(thrown: unknown): RpcError {
  if (thrown instanceof AppError) {
    const { rpc } = thrown.details;
    // The same object: a copy would lose its wire text.
    if (isRpcError(rpc)) return rpc;
    return { code: rpcErrorCode.internalError, message: thrown.message };
  }
  return { code: rpcErrorCode.internalError, message: 'The client could not be asked' };
}

function isRpcError(value: unknown): value is RpcError {
  return (
    isRecord(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string'
  );
}
