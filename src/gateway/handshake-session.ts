import { randomUUID } from 'node:crypto';
import type { Caller } from '../contract/caller/index.ts';
import type { ClientSessionFact } from '../contract/client-session/index.ts';
import type { ServerChange } from '../contract/server/index.ts';
import {
  isRecord,
  negotiateVersion,
  newestHandshakeVersion,
  rpcErrorCode,
  supportedVersions,
  type HandshakeVersion,
  type Notification,
  type Params,
  type Request,
  type Response,
  type RpcError,
} from '../protocol/index.ts';
import {
  answerRequest,
  errorReply,
  type EraRules,
  type Origin,
  type Reply,
  type Serving,
} from './answer-request.ts';
import { capabilitiesOf, instructions, serverInfo } from './capabilities.ts';
import { encodeChange, seesChange } from './change-notification.ts';
import { PendingClientRequests } from './pending-client-requests.ts';
import { encodePlainResult } from './encode-result.ts';
import { ConnectionClosedError, TooManySubscriptionsError } from './errors.ts';
import { HandshakeClient, type SessionPeer } from './handshake-client.ts';
import { isSevereEnough, logLevels } from './log-levels.ts';
import { readString, type Method } from './methods.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { invalidParams, RpcFailure } from './rpc-failure.ts';
import { WatchedResources } from './watched-resources.ts';

const maxSubscriptions = 1_000;
const noCapabilities: Params = Object.freeze({});

/** What was agreed on at `initialize`. */
interface Negotiated {
  readonly version: HandshakeVersion;
  readonly capabilities: Params;
}

type SessionChange = Exclude<ClientSessionFact, { readonly kind: 'message' }>;

export interface HandshakeSessionOptions {
  /** Random by default. */
  readonly id?: string;
  readonly clientRequests?: PendingClientRequests;
  /** Of a session that was initialized elsewhere. */
  readonly negotiated?: Negotiated | undefined;
  /** Called when the client changed what the session gets; its request is answered afterwards. */
  readonly onFact?: (fact: SessionChange) => Promise<void>;
}

/**
 * One client of the handshake era: its version, subscriptions, pending requests, and requests to it. Before
 * `initialize` it is served like the newest version, but receives no change notifications.
 */
export class HandshakeSession implements SessionPeer {
  readonly id: string;
  readonly clientRequests: PendingClientRequests;
  readonly #serving: Serving;
  readonly #caller: Caller;
  readonly #send: (text: string) => void;
  readonly #onFact: HandshakeSessionOptions['onFact'];
  readonly #rules: EraRules;
  readonly #inFlight = new RequestsInFlight();
  readonly #subscribed: WatchedResources;
  #version: HandshakeVersion = newestHandshakeVersion;
  #capabilities = noCapabilities;
  #logLevel: string | undefined;
  #stopListening: (() => void) | undefined;

  /** `send` receives messages for this client that belong to none of its requests. */
  constructor(
    { serving, caller }: { readonly serving: Serving; readonly caller: Caller },
    send: (text: string) => void,
    options: HandshakeSessionOptions = {},
  ) {
    this.id = options.id ?? randomUUID();
    this.clientRequests = options.clientRequests ?? new PendingClientRequests();
    this.#serving = serving;
    this.#caller = caller;
    this.#send = send;
    this.#onFact = options.onFact;
    this.#subscribed = new WatchedResources(serving, caller);
    this.#rules = {
      era: 'handshake',
      serving,
      methods: new Map<string, Method>([
        ['initialize', async (params, { caller }) => this.#initialize(params, caller)],
        ['ping', async () => ({})],
        ['logging/setLevel', (params) => this.#setLevel(readString(params, 'level'))],
        ['resources/subscribe', (params) => this.#subscribe(readString(params, 'uri'))],
        ['resources/unsubscribe', (params) => this.#unsubscribe(readString(params, 'uri'))],
      ]),
      connect: (started, origin) => new HandshakeClient(this, origin, started),
      encode: encodePlainResult,
    };
    if (options.negotiated) this.#open(options.negotiated);
  }

  get capabilities(): Params {
    return this.#capabilities;
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  get version(): HandshakeVersion {
    return this.#version;
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  answer(request: Request, origin: Origin): Promise<Reply | undefined> {
    const refusal = this.#refuseOld(request);
    if (refusal) return Promise.resolve(errorReply(request, refusal));
    return answerRequest(request, this.#rules, { origin, inFlight: this.#inFlight });
  }

  /** Accepts the client's response to a request of the server; false when none waits for it. */
  settle(response: Response): boolean {
    return this.clientRequests.settle(response);
  }

  /** False when it is about a request that is not pending here. */
  accept(notification: Notification): boolean {
    if (notification.method !== 'notifications/cancelled') return true;
    const { requestId } = notification.params;
    const isId = typeof requestId === 'string' || typeof requestId === 'number';
    return !isId || this.#inFlight.cancel(requestId);
  }

  /** Takes over what the client asked for at another instance. */
  apply(fact: SessionChange): void {
    switch (fact.kind) {
      case 'log-level':
        this.#applyLevel(fact.level);
        return;
      case 'watch':
        if (this.#subscribed.size < maxSubscriptions) void this.#subscribed.add(fact.uri);
        return;
      case 'unwatch':
        this.#subscribed.remove(fact.uri);
        return;
      case 'ended':
        this.close();
    }
  }

  /** Stops change notifications; running requests continue. */
  silence(): void {
    this.#stopListening?.();
    this.#subscribed.clear();
    this.#serving.requestedLevels.drop(this);
  }

  close(): void {
    this.silence();
    const reason = new ConnectionClosedError();
    this.#inFlight.abortAll(reason);
    this.clientRequests.close(reason);
  }

  /** The policy on versions. The era is the client's choice, so requests that skip `initialize` are checked, too. */
  #refuseOld({ method, params }: Request): RpcError | undefined {
    const { minVersion } = this.#serving;
    if (minVersion === undefined) return undefined;
    const requested = method === 'initialize' ? String(params['protocolVersion']) : this.#version;
    if (negotiateVersion(requested) >= minVersion) return undefined;
    return {
      code: rpcErrorCode.invalidParams,
      message: `Unsupported protocol version: this server requires ${minVersion} or later`,
      data: { supported: supportedVersions(minVersion), requested },
    };
  }

  #initialize(params: Params, caller: Caller): object {
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
    const { capabilities } = params;
    this.#open({ version, capabilities: isRecord(capabilities) ? capabilities : noCapabilities });
    return {
      protocolVersion: version,
      capabilities: capabilitiesOf(server, 'handshake'),
      serverInfo: serverInfo(server),
      ...instructions(server, caller),
    };
  }

  #open({ version, capabilities }: Negotiated): void {
    this.#version = version;
    this.#capabilities = capabilities;
    this.#stopListening = this.#serving.server.onChange((change) => this.#announce(change));
  }

  #announce(change: ServerChange): void {
    if (change.kind === 'resource' && !this.#subscribed.has(change.uri)) return;
    if (!seesChange(this.#caller, change)) return;
    const level = this.#logLevel;
    if (change.kind === 'log' && level !== undefined && !isSevereEnough(change.params, level))
      return;
    this.#send(encodeChange(change));
  }

  async #subscribe(uri: string): Promise<object> {
    if (this.#subscribed.size >= maxSubscriptions) {
      throw new TooManySubscriptionsError(maxSubscriptions);
    }
    await this.#subscribed.add(uri);
    await this.#onFact?.({ kind: 'watch', uri });
    return {};
  }

  async #unsubscribe(uri: string): Promise<object> {
    this.#subscribed.remove(uri);
    await this.#onFact?.({ kind: 'unwatch', uri });
    return {};
  }

  async #setLevel(level: string): Promise<object> {
    if (!logLevels.includes(level)) {
      throw invalidParams(`"level" must be one of ${logLevels.join(', ')}`);
    }
    this.#applyLevel(level);
    await this.#onFact?.({ kind: 'log-level', level });
    return {};
  }

  #applyLevel(level: string): void {
    this.#logLevel = level;
    this.#serving.requestedLevels.set(this, level);
  }
}
