import type { Caller } from '../contract/caller/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import {
  allowsBatches,
  encodeError,
  isRecord,
  judgeEra,
  rpcErrorCode,
  unsupportedVersion,
  type Batch,
  type Message,
  type Notification,
  type Params,
  type Request,
  type RequestId,
} from '../protocol/index.ts';
import {
  answerRequest,
  errorReply,
  type EraRules,
  type Origin,
  type Reply,
  type Serving,
} from './answer-request.ts';
import { ConnectionClosedError, TooManySubscriptionsError } from './errors.ts';
import { HandshakeSession } from './handshake-session.ts';
import { ParkedCalls } from './parked-calls.ts';
import { ReplayedOpening } from './replayed-opening.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { explainFailure } from './rpc-failure.ts';
import { statelessRules } from './stateless.ts';
import { openSubscription, type Subscription } from './subscription.ts';

const maxSubscriptions = 100;

/** Sends a message to the client; `isLast` when no other response is pending that could be batched with it. */
export type SendText = (text: string, isLast?: boolean) => void;

export type OnRoots = (ask: (signal: AbortSignal) => Promise<Params>) => void;

export interface PipeOptions {
  readonly opening?: Opening | undefined;
  readonly onRoots?: OnRoots | undefined;
}

const rootsNotifications: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/roots/list_changed',
]);

/** The client of one bidirectional channel, in either era or both. */
export class PipeConnection {
  readonly #serving: Serving;
  readonly #send: SendText;
  readonly #session: HandshakeSession;
  readonly #stateless: EraRules;
  readonly #origin: Origin;
  readonly #inFlight = new RequestsInFlight();
  readonly #parked = new ParkedCalls();
  readonly #subscriptions = new Map<RequestId, Subscription>();
  /** Messages without a response yet. */
  #unanswered = 0;
  #onIdle: (() => void) | undefined;
  readonly #onRoots: OnRoots | undefined;
  #hasRoots = false;
  /** Set while the client may have cached responses. */
  #replayed: ReplayedOpening | undefined;

  constructor(
    { serving, caller }: { readonly serving: Serving; readonly caller: Caller },
    send: SendText,
    { opening, onRoots }: PipeOptions = {},
  ) {
    this.#serving = serving;
    this.#onRoots = onRoots;
    this.#replayed = opening && new ReplayedOpening(opening);
    this.#send = send;
    this.#session = new HandshakeSession({ serving, caller }, send);
    this.#stateless = statelessRules(serving, this.#parked);
    this.#origin = {
      caller,
      peer: this.#session.id,
      send: (text) => {
        send(text);
        return true;
      },
    };
  }

  receive(message: Message | Batch): void {
    switch (message.kind) {
      case 'request':
        this.#receiveRequest(message);
        return;
      case 'notification':
        this.#accept(message);
        return;
      case 'malformed':
        this.#send(encodeError(message.id, message.error));
        return;
      case 'response':
        this.#session.settle(message);
        return;
      case 'batch':
        void this.#receiveBatch(message);
    }
  }

  /** Resolves when every received message is answered, or after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.finish();
    this.#subscriptions.clear();
    this.#session.close();
    const reason = new ConnectionClosedError();
    this.#inFlight.abortAll(reason);
    this.#parked.close(reason);
  }

  #answered(text: string | undefined): void {
    this.#unanswered -= 1;
    const isLast = this.#unanswered === 0;
    if (text !== undefined) this.#send(text, isLast);
    if (isLast) this.#onIdle?.();
  }

  /** On the path of every call, so it does not await. */
  #receiveRequest(request: Request): void {
    this.#unanswered += 1;
    if (request.method === 'initialize') this.#hasRoots = hasRoots(request.params);
    const verdict = judgeEra(request);
    if (verdict.kind === 'rejected') {
      this.#answered(errorReply(request, verdict.error).text);
    } else if (verdict.kind === 'stateless') {
      void this.#answerStateless(request, verdict.version).then(this.#onText);
    } else if (this.#replayed) {
      void this.#replay(this.#replayed, request).then(this.#onText);
    } else {
      void this.#session.answer(request, this.#origin).then(this.#onReply);
    }
  }

  readonly #onText = (text: string | undefined): void => this.#answered(text);

  readonly #onReply = (reply: Reply | undefined): void => this.#answered(reply?.text);

  async #replay(replayed: ReplayedOpening, request: Request): Promise<string | undefined> {
    const sent = replayed.answerSentTo(request);
    const text = (await this.#session.answer(request, this.#origin))?.text;
    const toSend = replayed.settle(request, sent, text);
    if (replayed.isOver) this.#replayed = undefined;
    return toSend;
  }

  async #answerStateless(request: Request, version: string): Promise<string | undefined> {
    const refusal = unsupportedVersion(version);
    if (refusal) return errorReply(request, refusal).text;
    if (request.method === 'subscriptions/listen') return this.#listen(request);
    const at = { origin: this.#origin, inFlight: this.#inFlight };
    return (await answerRequest(request, this.#stateless, at))?.text;
  }

  #listen(request: Request): string | undefined {
    try {
      if (this.#subscriptions.size >= maxSubscriptions) {
        throw new TooManySubscriptionsError(maxSubscriptions);
      }
      this.#subscriptions.get(request.id)?.cancel();
      const at = { serving: this.#serving, caller: this.#origin.caller };
      this.#subscriptions.set(request.id, openSubscription(at, request, this.#send));
      return undefined;
    } catch (thrown) {
      const { method } = request;
      const { log } = this.#serving;
      const error = explainFailure(thrown, { method, era: 'stateless', subject: undefined, log });
      return errorReply(request, error).text;
    }
  }

  #accept(notification: Notification): void {
    this.#session.accept(notification);
    if (this.#hasRoots && rootsNotifications.has(notification.method)) this.#askForRoots();
    if (notification.method !== 'notifications/cancelled') return;
    const { requestId } = notification.params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    this.#inFlight.cancel(requestId);
    this.#subscriptions.get(requestId)?.cancel();
    this.#subscriptions.delete(requestId);
  }

  #askForRoots(): void {
    const request = { method: 'roots/list', params: {} };
    this.#onRoots?.((signal) =>
      this.#session.clientRequests.ask({
        request,
        signal,
        send: (text) => this.#origin.send(text),
      }),
    );
  }

  async #receiveBatch(batch: Batch): Promise<void> {
    this.#unanswered += 1;
    if (!allowsBatches(this.#session.version)) {
      const message = `Batches are not part of protocol version ${this.#session.version}`;
      this.#answered(encodeError(null, { code: rpcErrorCode.invalidRequest, message }));
      return;
    }
    const texts = await answerBatch(batch, this.#session, this.#origin);
    this.#answered(texts.length > 0 ? `[${texts.join(',')}]` : undefined);
  }
}

function hasRoots({ capabilities }: Params): boolean {
  return isRecord(capabilities) && isRecord(capabilities['roots']);
}

/** The responses to a batch of the handshake era, as JSON texts. */
export async function answerBatch(
  batch: Batch,
  session: Pick<HandshakeSession, 'answer' | 'accept' | 'settle'>,
  origin: Origin,
): Promise<string[]> {
  const answers = batch.messages.map(async (message) => {
    if (message.kind === 'request') return (await session.answer(message, origin))?.text;
    if (message.kind === 'malformed') return encodeError(message.id, message.error);
    if (message.kind === 'notification') session.accept(message);
    if (message.kind === 'response') session.settle(message);
    return undefined;
  });
  return (await Promise.all(answers)).filter((text) => text !== undefined);
}
