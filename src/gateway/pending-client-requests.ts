import type { ClientRequest } from '../contract/server/index.ts';
import {
  encodeNotification,
  encodeRequest,
  isRecord,
  type Params,
  type RequestId,
  type Response,
} from '../protocol/index.ts';
import { ClientRefusedError } from './errors.ts';

const maxOpenAsks = 64;
/** Long, because people answer. */
const defaultAskLimitMs = 10 * 60_000;

export interface Ask {
  readonly request: ClientRequest;
  readonly signal: AbortSignal;
  /** Sends a message on the channel of the asking call; false when it cannot carry one. */
  readonly send: (text: string) => boolean;
}

interface OpenAsk {
  readonly method: string;
  readonly resolve: (result: Params) => void;
  readonly reject: (reason: Error) => void;
}

interface PendingClientRequestsOptions {
  readonly limitMs?: number;
  /** Ids that no other request to this client has; default: 1, 2, 3 … */
  readonly newId?: () => RequestId;
}

/** Requests to one handshake client that it has not answered yet. */
export class PendingClientRequests {
  readonly #open = new Map<RequestId, OpenAsk>();
  readonly #limitMs: number;
  readonly #newId: () => RequestId;
  #lastId = 0;

  constructor({ limitMs = defaultAskLimitMs, newId }: PendingClientRequestsOptions = {}) {
    this.#limitMs = limitMs;
    this.#newId = newId ?? (() => (this.#lastId += 1));
  }

  /** The client's answer. Rejects with `ClientRefusedError` or the signal's reason. */
  async ask({ request, signal, send }: Ask): Promise<Params> {
    signal.throwIfAborted();
    const { method, params } = request;
    if (this.#open.size >= maxOpenAsks) {
      const because = `it already has ${maxOpenAsks} pending requests`;
      throw new ClientRefusedError(method, { reason: 'too_many', because });
    }
    const id = this.#newId();
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    this.#open.set(id, { method, resolve, reject });
    const withdraw = (reason: string): void => {
      send(encodeNotification('notifications/cancelled', { requestId: id, reason }));
    };
    const onAbort = (): void => {
      withdraw('The request this belongs to has ended');
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      withdraw('No answer in time');
      const because = `none came within ${this.#limitMs} ms`;
      reject(new ClientRefusedError(method, { reason: 'no_answer', because }));
    }, this.#limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (!send(encodeRequest(id, method, params))) {
        const because = 'its request does not accept text/event-stream';
        throw new ClientRefusedError(method, { reason: 'unreachable', because });
      }
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#open.delete(id);
    }
  }

  /** Accepts a response of the client; false when no request waits for it. */
  settle({ id, outcome }: Response): boolean {
    const ask = id === null ? undefined : this.#open.get(id);
    if (!ask) return false;
    if ('error' in outcome) {
      const because = `it answered with error ${outcome.error.code}: ${outcome.error.message}`;
      ask.reject(
        new ClientRefusedError(ask.method, { reason: 'error', because, rpc: outcome.error }),
      );
    } else if (isRecord(outcome.result)) {
      ask.resolve(outcome.result);
    } else {
      const because = 'its answer is not an object';
      ask.reject(new ClientRefusedError(ask.method, { reason: 'error', because }));
    }
    return true;
  }

  /** Rejects everything pending. */
  close(reason: Error): void {
    for (const ask of this.#open.values()) ask.reject(reason);
  }
}
