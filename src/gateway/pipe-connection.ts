import {
  allowsBatches,
  encodeError,
  judgeEra,
  rpcErrorCode,
  unsupportedVersion,
  type Batch,
  type Message,
  type Notification,
  type Request,
  type RequestId,
} from '../protocol/index.ts';
import {
  answerRequest,
  errorReply,
  type EraRules,
  type Origin,
  type Serving,
} from './answer-request.ts';
import { ConnectionClosedError, TooManySubscriptionsError } from './errors.ts';
import { HandshakeSession } from './handshake-session.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { explainFailure } from './rpc-failure.ts';
import { statelessRules } from './stateless.ts';
import { openSubscription, type Subscription } from './subscription.ts';

const maxSubscriptions = 100;

/** Whoever is at the other end of one two-way channel, in whichever era it speaks, or in both. */
export class PipeConnection {
  readonly #serving: Serving;
  readonly #send: (text: string) => void;
  readonly #session: HandshakeSession;
  readonly #stateless: EraRules;
  readonly #inFlight = new RequestsInFlight();
  readonly #subscriptions = new Map<RequestId, Subscription>();
  /** Each ends when the answer to a message is sent, or there will be none. */
  readonly #unanswered = new Set<Promise<void>>();

  constructor(serving: Serving, send: (text: string) => void) {
    this.#serving = serving;
    this.#send = send;
    this.#session = new HandshakeSession(serving, send);
    this.#stateless = statelessRules(serving);
  }

  receive(message: Message | Batch): void {
    switch (message.kind) {
      case 'request':
        this.#keep(this.#receiveRequest(message));
        return;
      case 'notification':
        this.#accept(message);
        return;
      case 'malformed':
        this.#send(encodeError(message.id, message.error));
        return;
      case 'response':
        // Nothing is ever asked of the client, so no response can be meant for us.
        return;
      case 'batch':
        this.#keep(this.#receiveBatch(message));
    }
  }

  /** Resolves when the answers to all that was received are sent, or after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([Promise.all(this.#unanswered), late]);
    clearTimeout(timer);
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.finish();
    this.#subscriptions.clear();
    this.#session.close();
    this.#inFlight.abortAll(new ConnectionClosedError());
  }

  #keep(answering: Promise<void>): void {
    const kept = answering.finally(() => this.#unanswered.delete(kept));
    this.#unanswered.add(kept);
  }

  async #receiveRequest(request: Request): Promise<void> {
    const text = await this.#answer(request);
    if (text !== undefined) this.#send(text);
  }

  async #answer(request: Request): Promise<string | undefined> {
    const verdict = judgeEra(request);
    if (verdict.kind === 'rejected') return errorReply(request, verdict.error).text;
    if (verdict.kind === 'handshake') {
      return (await this.#session.answer(request, { notify: this.#send }))?.text;
    }
    const refusal = unsupportedVersion(verdict.version);
    if (refusal) return errorReply(request, refusal).text;
    if (request.method === 'subscriptions/listen') return this.#listen(request);
    const origin = { inFlight: this.#inFlight, notify: this.#send };
    return (await answerRequest(request, this.#stateless, origin))?.text;
  }

  #listen(request: Request): string | undefined {
    try {
      if (this.#subscriptions.size >= maxSubscriptions) {
        throw new TooManySubscriptionsError(maxSubscriptions);
      }
      this.#subscriptions.get(request.id)?.cancel();
      this.#subscriptions.set(
        request.id,
        openSubscription(this.#serving.server, request, this.#send),
      );
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
    if (notification.method !== 'notifications/cancelled') return;
    const { requestId } = notification.params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    this.#inFlight.cancel(requestId);
    this.#subscriptions.get(requestId)?.cancel();
    this.#subscriptions.delete(requestId);
  }

  async #receiveBatch(batch: Batch): Promise<void> {
    if (!allowsBatches(this.#session.version)) {
      const message = `Batches are not part of protocol version ${this.#session.version}`;
      this.#send(encodeError(null, { code: rpcErrorCode.invalidRequest, message }));
      return;
    }
    const texts = await answerBatch(batch, this.#session, { notify: this.#send });
    if (texts.length > 0) this.#send(`[${texts.join(',')}]`);
  }
}

/** The answers to a batch of the handshake era, as JSON texts. */
export async function answerBatch(
  batch: Batch,
  session: HandshakeSession,
  origin: Omit<Origin, 'inFlight'>,
): Promise<string[]> {
  const answers = batch.messages.map(async (message) => {
    if (message.kind === 'request') return (await session.answer(message, origin))?.text;
    if (message.kind === 'malformed') return encodeError(message.id, message.error);
    if (message.kind === 'notification') session.accept(message);
    return undefined;
  });
  return (await Promise.all(answers)).filter((text) => text !== undefined);
}
