import type { ClientRequest } from '../contract/server/index.ts';
import {
  encodeNotification,
  encodeRequest,
  isRecord,
  type Params,
  type Response,
} from '../protocol/index.ts';
import { ClientRefusedError } from './errors.ts';

const maxOpenAsks = 64;
/** People answer, and they take their time. */
const defaultAskLimitMs = 10 * 60_000;

export interface Ask {
  readonly request: ClientRequest;
  readonly signal: AbortSignal;
  /** Sends a message on the channel of the call that asks; false when it cannot carry one. */
  readonly send: (text: string) => boolean;
}

interface OpenAsk {
  readonly method: string;
  readonly resolve: (result: Params) => void;
  readonly reject: (reason: Error) => void;
}

/** What one client of the handshake era was asked and has not answered yet. */
export class PendingClientRequests {
  readonly #open = new Map<number, OpenAsk>();
  readonly #limitMs: number;
  #lastId = 0;

  constructor(limitMs = defaultAskLimitMs) {
    this.#limitMs = limitMs;
  }

  /** The client's answer. Rejects with `ClientRefusedError`, or the signal's reason once it aborts. */
  async ask({ request, signal, send }: Ask): Promise<Params> {
    signal.throwIfAborted();
    const { method, params } = request;
    if (this.#open.size >= maxOpenAsks) {
      const because = `it has ${maxOpenAsks} questions to answer already`;
      throw new ClientRefusedError(method, { reason: 'too_many', because });
    }
    const id = (this.#lastId += 1);
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
        const because = 'its request leaves no way to ask it (it must accept text/event-stream)';
        throw new ClientRefusedError(method, { reason: 'unreachable', because });
      }
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#open.delete(id);
    }
  }

  /** Takes an answer of the client; one to nothing we asked is dropped. */
  settle({ id, outcome }: Response): void {
    const ask = typeof id === 'number' ? this.#open.get(id) : undefined;
    if (!ask) return;
    if ('error' in outcome) {
      const because = `it answered with error ${outcome.error.code}: ${outcome.error.message}`;
      ask.reject(
        new ClientRefusedError(ask.method, { reason: 'error', because, rpc: outcome.error }),
      );
    } else if (isRecord(outcome.result)) {
      ask.resolve(outcome.result);
    } else {
      const because = 'it answered with something that is no object';
      ask.reject(new ClientRefusedError(ask.method, { reason: 'error', because }));
    }
  }

  /** Nobody will answer any more. */
  close(reason: Error): void {
    for (const ask of this.#open.values()) ask.reject(reason);
  }
}
