import {
  errorOf,
  membersOf,
  metaKeys,
  metaOf,
  rpcCode,
  RpcFailure,
  type Era,
  type Exchange,
  type Incoming,
  type Members,
  type MessageId,
} from './exchange.ts';
import type { ConformanceServer } from './server.ts';

/** Carries a message to the client; `during` names the request it belongs to. */
export type Send = (message: Members, during?: MessageId) => void;

interface Waiting {
  readonly resolve: (result: Members) => void;
  readonly reject: (error: RpcFailure) => void;
}

/** One client, as long as its connection or session lasts. */
export class Peer {
  readonly #server: ConformanceServer;
  readonly #send: Send;
  readonly #waiting = new Map<MessageId, Waiting>();
  readonly #subscriptions = new Map<MessageId, () => void>();
  #capabilities: Members = {};
  #stopListening: (() => void) | undefined;
  #lastId = 0;

  constructor(server: ConformanceServer, send: Send) {
    this.#server = server;
    this.#send = send;
  }

  receive(message: Incoming): void {
    const { id, method, params = {}, result, error } = message;
    if (method === undefined) {
      const waiting = id === undefined ? undefined : this.#waiting.get(id);
      if (error) waiting?.reject(new RpcFailure(error.code, error.message, error.data));
      else waiting?.resolve(result ?? {});
    } else if (id === undefined) this.#hear(method, params);
    else if (method === 'subscriptions/listen') this.#subscribe(id, params);
    else void this.#answer(id, method, params);
  }

  close(): void {
    this.#stopListening?.();
    for (const stop of this.#subscriptions.values()) stop();
  }

  #hear(method: string, params: Members): void {
    if (method === 'notifications/initialized') {
      this.#stopListening = this.#server.onChange(({ method: change }) => {
        this.#send({ jsonrpc: '2.0', method: change });
      });
    }
    const { requestId } = params;
    if (method === 'notifications/cancelled') this.#subscriptions.get(String(requestId))?.();
  }

  async #answer(id: MessageId, method: string, params: Members): Promise<void> {
    const era = eraOf(method, params);
    if (method === 'initialize') this.#capabilities = membersOf(params['capabilities']);
    try {
      const result = await this.#server.answer(method, this.#exchange(id, era, params));
      this.#send({ jsonrpc: '2.0', id, result }, id);
    } catch (error) {
      this.#send({ jsonrpc: '2.0', id, error: errorOf(error) }, id);
    }
  }

  #exchange(id: MessageId, era: Era, params: Members): Exchange {
    const meta = metaOf(params);
    const isOld = era === 'handshake';
    return {
      era,
      params,
      capabilities: isOld ? this.#capabilities : membersOf(meta[metaKeys.clientCapabilities]),
      wantsLogs: isOld || meta[metaKeys.logLevel] !== undefined,
      notify: (method, told) => this.#send({ jsonrpc: '2.0', method, params: told }, id),
      ask: async ({ method, params: asked }) => {
        if (!isOld) throw new RpcFailure(rpcCode.internalError, 'Nobody can be asked in this era');
        this.#lastId += 1;
        const question = `question-${this.#lastId}`;
        const { promise, resolve, reject } = Promise.withResolvers<Members>();
        this.#waiting.set(question, { resolve, reject });
        this.#send({ jsonrpc: '2.0', id: question, method, params: asked }, id);
        return promise.finally(() => this.#waiting.delete(question));
      },
    };
  }

  #subscribe(id: MessageId, params: Members): void {
    const wanted = membersOf(params['notifications']);
    const _meta = { [metaKeys.subscriptionId]: id };
    const tell = (method: string, told: Members): void => {
      this.#send({ jsonrpc: '2.0', method, params: { ...told, _meta } }, id);
    };
    const stop = this.#server.onChange(({ method, filter }) => {
      if (wanted[filter] === true) tell(method, {});
    });
    this.#subscriptions.set(String(id), stop);
    tell('notifications/subscriptions/acknowledged', { notifications: wanted });
  }
}

export function eraOf(method: string, params: Members | undefined): Era {
  const isNew = method === 'server/discover' || metaOf(params)[metaKeys.protocolVersion];
  return isNew === undefined || isNew === false ? 'handshake' : 'stateless';
}
