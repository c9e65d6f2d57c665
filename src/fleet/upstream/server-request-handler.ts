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

/** The folders of the one client that all calls come from, where there is such a client. */
export interface ClientRoots {
  /** Its answer to `roots/list`; undefined where there is none to ask. */
  list(signal: AbortSignal): Promise<Params> | undefined;
  /** Calls `listener` when there are others to be had, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface ServerRequestParts {
  /** What the server is called in the fleet. */
  readonly server: string;
  /** Servers of the stateless era ask in their results; no question of theirs comes this way. */
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
 * Answers what a server of the handshake era asks: elicitation, sampling and roots go to the client
 * whose call they belong to, and to nobody else.
 *
 * 1. Where the transport says during which call a question came, or the question names a task, the client of
 *    that call, or who waits for that task, is asked.
 * 2. Where it does not, the question waits until the calls in flight are all of one client; from
 *    then on the server gets one client's calls at a time (`ClientScheduler`).
 * 3. A call that nobody waits for any more is in flight until the server answers it or ends: a question that
 *    may belong to such a call of another client is refused.
 * 4. Roots that are asked for in no call, as at the start of many servers, are those of the one client there is.
 *    Among several they are nobody's while the server settles in, or in no call: there are none.
 * 5. Every question is answered once, unless the server itself cancels it.
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
      onProblem('asked for what no client offers');
      reply(encodeError(id, refused(rpcErrorCode.methodNotFound, 'Method not found')));
      return;
    }
    if (this.#open.has(id)) {
      onProblem('used the id of a question twice at once');
      return;
    }
    if (this.#open.size >= upstreamLimits.maxAsks) {
      onProblem('asked too many things at once');
      reply(encodeError(id, refused(rpcErrorCode.internalError, 'Too many open questions')));
      return;
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    void this.#answerAsk(request, during, controller.signal).finally(() => this.#open.delete(id));
  }

  /** The server no longer wants an answer. */
  cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#open.get(id)?.abort(new DOMException('The server cancelled its question', 'AbortError'));
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
    // From its arrival to here without a pause: a call that is answered behind it still counts.
    const call = await this.#callOf({ method, params }, during, signal);
    const client = call?.client;
    const refusal = client
      ? refusalOf(client, method, params)
      : refused(rpcErrorCode.methodNotFound, 'No client can be asked: no call of one is running');
    if (client && call && !refusal) {
      const stopAsking = this.#parts.scheduler.beginAsking(client.id);
      const both = AbortSignal.any([signal, call.signal]);
      const question = withServerName(this.#parts.server, { method, params });
      return client.ask(question, both).finally(stopAsking);
    }
    // Having no roots is an answer; that a client does not know the word need not concern the server.
    if (method === 'roots/list') return { roots: [] };
    throw new AskRefusal(refusal ?? refused(rpcErrorCode.internalError, 'Internal error'));
  }

  /** The call a question belongs to; undefined when none runs. Throws when that cannot be told in time. */
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
    // Asking for roots needs no person, so it alone is no reason to keep clients apart.
    if (!isForRoots || isAmbiguous) scheduler.requireExclusive();
    const call = isAmbiguous ? await this.#untilOneClient(signal) : this.#latestCall();
    if (!call || !orphaned.hasOthers(call.client)) return call;
    if (isForRoots) return undefined;
    onProblem('asked something that may belong to a call nobody waits for');
    throw new AskRefusal(refused(rpcErrorCode.internalError, ofOthersMessage));
  }

  get #isSettling(): boolean {
    return this.#parts.clock.now() - this.#openedAt < upstreamLimits.settlingMs;
  }

  /** Where all calls are of one client, whichever is the latest can carry the question. */
  #latestCall(): CallContext | undefined {
    const calls = this.#parts.calls();
    return calls.findLast(({ options }) => options.context?.client)?.options.context;
  }

  /** Its latest call at the very moment it is alone: others may begin before who waits here goes on. */
  async #untilOneClient(signal: AbortSignal): Promise<CallContext | undefined> {
    const { scheduler, onProblem } = this.#parts;
    const decided = Promise.withResolvers<CallContext | undefined>();
    const stop = scheduler.watch(() => {
      if (scheduler.clients <= 1) decided.resolve(this.#latestCall());
    });
    const onAbort = (): void => decided.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      onProblem('asked something while several clients called it');
      const message = 'Several clients have calls running, and it cannot be told whose this is';
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

/** Where a question says which task it belongs to. */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

const ofOthersMessage =
  'A call of another client, who no longer waits for it, is not answered yet, and this question may be about it. ' +
  'Questions can be asked again when it is answered, or the server was restarted';

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

/** The error a client answered with, as it was where that is known. */
function rpcErrorOf(thrown: unknown): RpcError {
  if (thrown instanceof AppError) {
    const { rpc } = thrown.details;
    // As it came: a copy would lose the text of its data.
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
