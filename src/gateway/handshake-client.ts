import type { ClientRequest, ProgressUpdate } from '../contract/server/index.ts';
import { encodeNotification, type Params } from '../protocol/index.ts';
import type { Origin } from './answer-request.ts';
import type { PendingClientRequests } from './pending-client-requests.ts';
import { missingCapability } from './client-capability.ts';
import { ClientRefusedError, ConnectionClosedError } from './errors.ts';
import { isSevereEnough, logMethod } from './log-levels.ts';
import { progressText, type RequestClient } from './request-client.ts';
import type { RunningRequest } from './requests-in-flight.ts';

/** What the requests of one session share. */
export interface SessionPeer {
  readonly id: string;
  readonly capabilities: Params;
  readonly clientRequests: PendingClientRequests;
  /** The least severe log level it requested; undefined for all. */
  readonly logLevel: string | undefined;
}

/** The client of one request of the handshake era. It is asked on the channel of that request. */
export class HandshakeClient implements RequestClient {
  readonly era = 'handshake';
  readonly #peer: SessionPeer;
  readonly #origin: Origin;
  readonly #meta: Params;
  readonly #running: RunningRequest;
  /** Withdraws pending client requests when the request is answered without them. */
  #asking: AbortController | undefined;
  #isOver = false;

  constructor(
    peer: SessionPeer,
    origin: Origin,
    request: { readonly meta: Params; readonly running: RunningRequest },
  ) {
    this.#peer = peer;
    this.#origin = origin;
    this.#meta = request.meta;
    this.#running = request.running;
  }

  get id(): string {
    return this.#peer.id;
  }

  get capabilities(): Params {
    return this.#peer.capabilities;
  }

  async ask(request: ClientRequest, signal: AbortSignal): Promise<Params> {
    const { method } = request;
    const requiredCapabilities = missingCapability(request, this.#peer.capabilities);
    if (requiredCapabilities) {
      const because = 'it does not declare the capability for it';
      const reason = 'missing_capability';
      throw new ClientRefusedError(method, { reason, because, requiredCapabilities });
    }
    this.#asking ??= new AbortController();
    return this.#peer.clientRequests.ask({
      request,
      signal: AbortSignal.any([signal, this.#running.signal, this.#asking.signal]),
      send: (text) => this.#origin.send(text),
    });
  }

  notify(method: string, params: Params): void {
    const { logLevel } = this.#peer;
    if (method === logMethod && logLevel !== undefined && !isSevereEnough(params, logLevel)) return;
    if (this.#isOpen) this.#origin.send(encodeNotification(method, params));
  }

  progress(update: ProgressUpdate): void {
    const text = this.#isOpen ? progressText(this.#meta, update) : undefined;
    if (text !== undefined) this.#origin.send(text);
  }

  answer(start: () => Promise<object>): Promise<object> {
    return start();
  }

  finishRequest(): void {
    this.#isOver = true;
    this.#asking?.abort(new ConnectionClosedError());
  }

  get #isOpen(): boolean {
    return !this.#isOver && !this.#running.isAborted;
  }
}
