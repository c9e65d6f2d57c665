import type { ServerChange } from '../contract/server/index.ts';
import {
  isRecord,
  negotiateVersion,
  newestHandshakeVersion,
  rpcErrorCode,
  type HandshakeVersion,
  type Notification,
  type Params,
  type Request,
} from '../protocol/index.ts';
import {
  answerRequest,
  type EraRules,
  type Origin,
  type Reply,
  type Serving,
} from './answer-request.ts';
import { capabilities, instructions, serverInfo } from './capabilities.ts';
import { encodeChange } from './change-notification.ts';
import { ConnectionClosedError, TooManySubscriptionsError } from './errors.ts';
import { readString, type Method } from './methods.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { invalidParams, RpcFailure } from './rpc-failure.ts';

const maxSubscriptions = 1_000;

const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * One client of the handshake era: what it agreed to, what it subscribed to and what it waits for.
 * Before `initialize` it is served like the newest version, but hears of no changes.
 */
export class HandshakeSession {
  readonly #serving: Serving;
  readonly #send: (text: string) => void;
  readonly #rules: EraRules;
  readonly #inFlight = new RequestsInFlight();
  readonly #subscribed = new Set<string>();
  #version: HandshakeVersion = newestHandshakeVersion;
  #stopListening: (() => void) | undefined;

  /** `send` takes what is for this client but answers none of its requests. */
  constructor(serving: Serving, send: (text: string) => void) {
    this.#serving = serving;
    this.#send = send;
    this.#rules = {
      era: 'handshake',
      serving,
      methods: new Map<string, Method>([
        ['initialize', async (params) => this.#initialize(params)],
        ['ping', async () => ({})],
        ['logging/setLevel', async (params) => setLevel(params)],
        ['resources/subscribe', async (params) => this.#subscribe(readString(params, 'uri'))],
        ['resources/unsubscribe', async (params) => this.#unsubscribe(readString(params, 'uri'))],
      ]),
      complete: (result) => result,
    };
  }

  get version(): HandshakeVersion {
    return this.#version;
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  answer(request: Request, origin: Omit<Origin, 'inFlight'>): Promise<Reply | undefined> {
    return answerRequest(request, this.#rules, { ...origin, inFlight: this.#inFlight });
  }

  accept(notification: Notification): void {
    if (notification.method !== 'notifications/cancelled') return;
    const { requestId } = notification.params;
    if (typeof requestId === 'string' || typeof requestId === 'number') {
      this.#inFlight.cancel(requestId);
    }
  }

  /** Tells the client of no more changes; what it asked for goes on. */
  silence(): void {
    this.#stopListening?.();
  }

  close(): void {
    this.silence();
    this.#inFlight.abortAll(new ConnectionClosedError());
  }

  #initialize(params: Params): object {
    if (this.#stopListening) {
      throw new RpcFailure({
        code: rpcErrorCode.invalidRequest,
        message: 'This session is initialized already',
      });
    }
    const { server } = this.#serving;
    const version = negotiateVersion(readString(params, 'protocolVersion'));
    for (const name of ['capabilities', 'clientInfo']) {
      if (params[name] !== undefined && !isRecord(params[name])) {
        throw invalidParams(`"${name}" must be an object`);
      }
    }
    this.#version = version;
    this.#stopListening = server.onChange((change) => this.#announce(change));
    return {
      protocolVersion: version,
      capabilities: { ...capabilities, logging: {} },
      serverInfo: serverInfo(server),
      ...instructions(server),
    };
  }

  #announce(change: ServerChange): void {
    if (change.kind === 'resource' && !this.#subscribed.has(change.uri)) return;
    this.#send(encodeChange(change));
  }

  #subscribe(uri: string): object {
    if (this.#subscribed.size >= maxSubscriptions) {
      throw new TooManySubscriptionsError(maxSubscriptions);
    }
    this.#subscribed.add(uri);
    return {};
  }

  #unsubscribe(uri: string): object {
    this.#subscribed.delete(uri);
    return {};
  }
}

/** Accepted because clients ask for it; nothing is sent as log notifications: the log is the operator's. */
function setLevel(params: Params): object {
  if (!logLevels.includes(readString(params, 'level'))) {
    throw invalidParams(`"level" must be one of ${logLevels.join(', ')}`);
  }
  return {};
}
