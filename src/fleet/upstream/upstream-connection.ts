import type { CallAbort, CallContext } from '../../contract/server/index.ts';
import { withWireText } from '../../contract/wire/index.ts';
import { AppError, type Clock } from '../../kernel/index.ts';
import {
  encodeNotification,
  IdTable,
  isRecord,
  oneLine,
  rawMember,
  type Notification,
  type Params,
  type Request,
  type RequestId,
  type Response,
  type RpcError,
} from '../../protocol/index.ts';
import { BadAnswerError, ExchangeBrokenError } from '../errors.ts';
import { OrphanedCalls } from './orphaned-calls.ts';
import type { Dialect } from './dialect.ts';
import { ServerUnavailableError, UpstreamError } from './errors.ts';
import type { Link, LinkEnd, LinkListener, ReceivedMessage } from './link.ts';
import type { Redact } from './links/excerpt.ts';
import type { ProblemCounts } from './problem-counts.ts';
import { requestText, type DraftRequest } from './request-text.ts';
import { upstreamLimits } from './upstream-limits.ts';

/** Receives requests, notifications and the end of the connection from the server. */
export interface ServerMessageHandler {
  onRequest(request: Request, during: RequestId | undefined): void;
  onNotification(notification: Notification, during: RequestId | undefined): void;
  onClose(ended: LinkEnd): void;
}

export interface SendOptions {
  readonly abort: CallAbort;
  /** The context of the caller; absent for Tutti's own requests. */
  readonly context?: CallContext | undefined;
  /** The error of a request whose response was lost with the connection. */
  readonly lost: (reason: string, cause?: unknown) => Error;
  /** No cancellation is sent on abort: `initialize` must not be cancelled. */
  readonly isUncancellable?: boolean;
}

/** Called once with the outcome of a request. */
export interface Settling {
  readonly resolve: (result: Params) => void;
  readonly reject: (error: unknown) => void;
}

/** A pending request. */
export interface SentRequest {
  readonly id: number;
  readonly method: string;
  /** The name or uri it is about. */
  readonly subject: string | undefined;
  readonly options: SendOptions;
  readonly settling: Settling;
  readonly onAbort: () => void;
}

export interface ConnectionOptions {
  readonly server: string;
  readonly problems: ProblemCounts;
  readonly clock: Clock;
  /** Redacts errors of Tutti's own requests; callers get the original. */
  readonly redact?: Redact | undefined;
}

/**
 * Requests and their responses over one link.
 *
 * 1. Every request settles once: by its response, a failed exchange, its signal or the end of the link. Late
 *    responses are dropped.
 * 2. Ids are our own and unique, so a server cannot mix up two callers.
 * 3. Every message is handled, answered or counted as a problem; nothing throws.
 */
export class UpstreamConnection implements LinkListener {
  readonly #options: ConnectionOptions;
  readonly #sent = new IdTable<SentRequest>();
  /** Abandoned requests: late messages about them are not problems. */
  readonly #forgotten = new Set<number>();
  readonly orphaned = new OrphanedCalls();
  readonly #ended = Promise.withResolvers<LinkEnd>();
  #link: Link | undefined;
  #end: LinkEnd | undefined;
  #lastId = 0;
  #handler: ServerMessageHandler | undefined;
  #dialect: Dialect;
  lastTrafficAt: number;

  constructor(options: ConnectionOptions, dialect: Dialect) {
    this.#options = options;
    this.#dialect = dialect;
    this.lastTrafficAt = options.clock.now();
  }

  get ended(): Promise<LinkEnd> {
    return this.#ended.promise;
  }

  get end(): LinkEnd | undefined {
    return this.#end;
  }

  get pid(): number | undefined {
    return this.#link?.pid;
  }

  get hasHeaders(): boolean {
    return this.#link !== undefined && this.#link.pid === undefined;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Pending requests including Tutti's own, without subscriptions, which stay open. */
  get inFlight(): number {
    let count = 0;
    for (const { method } of this.#sent.values()) {
      if (method !== 'subscriptions/listen') count += 1;
    }
    return count;
  }

  /** Pending requests of callers, without Tutti's own. */
  calls(): SentRequest[] {
    return [...this.#sent.values()].filter(({ options }) => options.context !== undefined);
  }

  find(id: RequestId | undefined): SentRequest | undefined {
    return typeof id === 'number' ? this.#sent.get(id) : undefined;
  }

  attach(link: Link): void {
    this.#link = link;
  }

  speak(dialect: Dialect): void {
    this.#dialect = dialect;
  }

  /** Sends `notifications/initialized` in the negotiated version. */
  completeHandshake(version: string): void {
    this.#link?.setProtocolVersion?.(version);
    this.notify('notifications/initialized');
    this.#link?.listen?.();
  }

  /** From here on `handler` receives the server's messages; earlier ones are dropped. */
  listen(handler: ServerMessageHandler): void {
    this.#handler = handler;
  }

  /** Rejects with `UpstreamError`, the error of `lost`, or the signal's reason. */
  request(draft: DraftRequest, options: SendOptions): Promise<Params> {
    return new Promise((resolve, reject) => this.send(draft, options, { resolve, reject }));
  }

  /** The same for callers that create a promise anyway: an extra promise per call costs as much as its text. */
  send(draft: DraftRequest, options: SendOptions, settling: Settling): void {
    const { abort, context } = options;
    if (abort.isAborted) {
      settling.reject(abort.reason);
      return;
    }
    const link = this.#link;
    if (!link || this.#end) {
      const reason = this.#end?.reason ?? 'it is not connected';
      settling.reject(new ServerUnavailableError(this.#options.server, reason));
      return;
    }
    const id = (this.#lastId += 1);
    const token = context?.meta['progressToken'] === undefined ? undefined : id;
    const text = requestText(id, draft, this.#dialect.meta.write(context, token));
    const { method, subject } = draft;
    const onAbort = (): void => this.#giveUp(id);
    this.#sent.set(id, { id, method, subject, options, settling, onAbort });
    abort.watch(onAbort);
    if (link.pid === undefined) {
      link.send({ text, method, id, abort, headers: this.#dialect.headers(draft) });
    } else link.send({ text, method, id, abort, isAlone: this.#sent.size === 1 });
  }

  notify(method: string, params?: Params): void {
    const headers = this.#dialect.headers({ method, members: [] });
    this.#link?.send({
      text: encodeNotification(method, params),
      method,
      ...(this.hasHeaders ? { headers } : {}),
    });
  }

  /** Responds to a request of the server. */
  reply(text: string): void {
    const headers = this.#dialect.headers({ method: '', members: [] });
    this.#link?.send({ text, ...(this.hasHeaders ? { headers } : {}) });
  }

  async close(): Promise<void> {
    await this.#link?.close();
  }

  onMessage({ message, text, during }: ReceivedMessage): void {
    this.lastTrafficAt = this.#options.clock.now();
    switch (message.kind) {
      case 'response':
        this.#settle(message, text);
        return;
      case 'request':
        this.#handler?.onRequest(message, during);
        return;
      case 'notification':
        if (message.method === 'notifications/progress') this.#passProgress(message.params);
        else this.#handler?.onNotification(message, during);
    }
  }

  onRequestFailed(id: RequestId, error: Error): void {
    const sent = this.find(id);
    if (!sent) {
      this.orphaned.end(id);
      return;
    }
    this.#finish(sent);
    const isKnown = error instanceof AppError && !(error instanceof ExchangeBrokenError);
    if (!isKnown) this.#orphan(sent);
    sent.settling.reject(isKnown ? error : sent.options.lost(error.message, error));
  }

  onProblem(problem: string): void {
    this.#options.problems.add(problem);
  }

  onClose(ended: LinkEnd): void {
    if (this.#end) return;
    this.#end = ended;
    const unanswered = this.#sent.values();
    this.#sent.clear();
    for (const sent of unanswered) {
      sent.options.abort.unwatch(sent.onAbort);
      sent.settling.reject(sent.options.lost(ended.reason));
    }
    this.#handler?.onClose(ended);
    this.#ended.resolve(ended);
  }

  #settle(response: Response, text: string): void {
    const { id, outcome } = response;
    if (response.isAmbiguous) this.onProblem('sent an answer with both a result and an error');
    const sent = this.find(id ?? undefined);
    if (!sent) {
      this.#countStray(response);
      return;
    }
    this.#finish(sent);
    if (sent.method.startsWith('tasks/')) this.#endTask(sent, outcome);
    const { server } = this.#options;
    if ('error' in outcome) {
      const { error } = outcome;
      const shown = sent.options.context ? error : this.#redacted(error);
      sent.settling.reject(new UpstreamError(server, sent.method, shown));
      return;
    }
    const { result } = outcome;
    if (!isRecord(result)) {
      this.onProblem('sent a result that is not an object');
      sent.settling.reject(new BadAnswerError(server, 'the result is not an object'));
      return;
    }
    if (isRecord(result['task'])) this.#noteTask(sent, result['task']);
    const raw = sent.options.context ? rawMember(text, 'result') : undefined;
    sent.settling.resolve(raw === undefined ? result : withWireText(result, oneLine(raw)));
  }

  #redacted(error: RpcError): RpcError {
    const { redact } = this.#options;
    return redact ? { ...error, message: redact(error.message) } : error;
  }

  #countStray({ id }: Response): void {
    if (typeof id === 'number' && (this.#forgotten.delete(id) || this.orphaned.end(id))) return;
    if (id === null) this.onProblem('sent an error that answers no request');
    else if (typeof id === 'number' && id > 0 && id <= this.#lastId) {
      this.onProblem('answered a request twice');
    } else this.onProblem('answered a request that was never sent');
  }

  #finish(sent: SentRequest): void {
    this.#sent.delete(sent.id);
    sent.options.abort.unwatch(sent.onAbort);
  }

  #giveUp(id: number): void {
    const sent = this.#sent.get(id);
    if (!sent) return;
    this.#sent.delete(id);
    this.#orphan(sent);
    const { abort, isUncancellable } = sent.options;
    // Over HTTP the link cancels a stateless request by ending its exchange.
    const isEndedByLink = this.#dialect.era === 'stateless' && this.hasHeaders;
    if (!isUncancellable && !isEndedByLink) {
      this.notify('notifications/cancelled', { requestId: id, reason: reasonText(abort.reason) });
    }
    sent.settling.reject(abort.reason);
  }

  #orphan({ id, options }: SentRequest): void {
    if (options.context) this.orphaned.add(id, options.context.client);
    else this.#forget(id);
  }

  /** A task outlives its request: late progress is expected, and it may still send requests. */
  #noteTask({ id, options }: SentRequest, { taskId }: Params): void {
    this.#forget(id);
    if (typeof taskId === 'string') this.orphaned.add(taskId, options.context?.client);
  }

  /** `tasks/result` is answered when the task has ended. */
  #endTask({ method, subject = '' }: SentRequest, outcome: Response['outcome']): void {
    const result = 'result' in outcome ? outcome.result : undefined;
    const isOver = isRecord(result) && endedTaskStates.has(result['status']);
    if (isOver || method === 'tasks/result') this.orphaned.end(subject);
  }

  #forget(id: number): void {
    if (this.#forgotten.size >= upstreamLimits.maxForgotten) this.#forgotten.clear();
    this.#forgotten.add(id);
  }

  #isForgotten(id: number): boolean {
    return this.#forgotten.has(id) || this.orphaned.has(id);
  }

  #passProgress(params: Params): void {
    const { progressToken, ...update } = params;
    const sent = this.find(typeof progressToken === 'number' ? progressToken : undefined);
    if (!sent?.options.context) {
      if (typeof progressToken === 'number' && this.#isForgotten(progressToken)) return;
      this.onProblem('sent progress of a request that does not run');
      return;
    }
    const { progress } = update;
    if (typeof progress !== 'number') this.onProblem('sent progress without a number');
    else sent.options.context.progress({ ...update, progress });
  }
}

const endedTaskStates: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

function reasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'The caller cancelled the request';
}
