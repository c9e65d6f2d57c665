import type { CallAbort } from '../../../src/contract/server/index.ts';
import {
  decodeWithText,
  isRecord,
  type Params,
  type RequestId,
} from '../../../src/protocol/index.ts';
import type {
  Link,
  LinkEnd,
  LinkListener,
  OpenLink,
  OutgoingMessage,
} from '../../../src/fleet/upstream/link.ts';

/** What a scripted server was sent. */
export interface Received {
  readonly method: string | undefined;
  readonly id: RequestId | undefined;
  readonly params: Params;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly abort: CallAbort | undefined;
  /** The whole message. */
  readonly message: Params;
}

/** Answers a request: a value is its result, a `SpecialAnswer` anything else. */
export type Answer = (
  params: Params,
  received: Received,
) => object | undefined | Promise<object | undefined>;

export class RpcFault extends Error {
  readonly rpc: object;

  constructor(rpc: object) {
    super('scripted');
    this.rpc = rpc;
  }
}

/** A server in memory, behind the same port as real ones. `undefined` as an answer means none. */
export class ScriptedServer {
  readonly received: Received[] = [];
  readonly answers = new Map<string, Answer>();
  readonly isHttp: boolean;
  /** Handshake calls made on the link. */
  readonly httpCalls: string[] = [];
  opened = 0;
  #listener: LinkListener | undefined;
  #isClosed = false;
  #expected: { readonly test: () => boolean; readonly resolve: () => void }[] = [];

  constructor(isHttp = false) {
    this.isHttp = isHttp;
  }

  readonly openLink: OpenLink = async (listener) => {
    this.opened += 1;
    this.#isClosed = false;
    this.#listener = listener;
    const link: Link = {
      pid: this.isHttp ? undefined : 4711,
      send: (message) => {
        if (!this.#isClosed) queueMicrotask(() => this.#take(message));
      },
      ...(this.isHttp
        ? {
            setProtocolVersion: (version: string) => this.httpCalls.push(`version ${version}`),
            listen: () => this.httpCalls.push('listen'),
          }
        : {}),
      close: async () => this.end({ reason: 'it was closed', isWanted: true }),
    };
    return link;
  };

  on(method: string, answer: Answer): this {
    this.answers.set(method, answer);
    return this;
  }

  /** Sends a message as text; `during` as HTTP would know it. */
  sendText(text: string, during?: RequestId): void {
    const { message } = decodeWithText(Buffer.from(text));
    if (message.kind === 'malformed' || message.kind === 'batch') throw new Error('no message');
    this.#listener?.onMessage(during === undefined ? { message, text } : { message, text, during });
  }

  send(message: object, during?: RequestId): void {
    this.sendText(JSON.stringify({ jsonrpc: '2.0', ...message }), during);
  }

  failRequest(id: RequestId, error: Error): void {
    this.#listener?.onRequestFailed(id, error);
  }

  end(ended: LinkEnd): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener?.onClose(ended);
  }

  methods(): (string | undefined)[] {
    return this.received.map(({ method }) => method);
  }

  ofMethod(method: string): Received[] {
    return this.received.filter((it) => it.method === method);
  }

  /** Resolves when the server was sent the `count`-th message with this method. */
  async untilSent(method: string, count = 1): Promise<Received> {
    const test = (): boolean => this.ofMethod(method).length >= count;
    await this.until(test);
    const found = this.ofMethod(method)[count - 1];
    if (!found) throw new Error('unreachable');
    return found;
  }

  /** Resolves when what the server was sent fulfils `test`. */
  async until(test: () => boolean): Promise<void> {
    if (test()) return;
    await new Promise<void>((resolve) => this.#expected.push({ test, resolve }));
  }

  #take({ text, headers, abort }: OutgoingMessage): void {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message) || text.includes('\n')) throw new Error(`no single line: ${text}`);
    const { method, id, params } = message;
    const received: Received = {
      method: typeof method === 'string' ? method : undefined,
      id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
      params: isRecord(params) ? params : {},
      text,
      headers,
      abort,
      message,
    };
    this.received.push(received);
    if (received.method !== undefined && received.id !== undefined) void this.#answer(received);
    const due = this.#expected.filter(({ test }) => test());
    this.#expected = this.#expected.filter((it) => !due.includes(it));
    for (const { resolve } of due) resolve();
  }

  async #answer(received: Received): Promise<void> {
    const { method, id, params } = received;
    const answer = this.answers.get(method ?? '');
    try {
      if (!answer) throw new RpcFault({ code: -32_601, message: `Method not found: ${method}` });
      const result = await answer(params, received);
      if (result !== undefined) this.send({ id, result }, this.isHttp ? id : undefined);
    } catch (thrown) {
      const rpc =
        thrown instanceof RpcFault ? thrown.rpc : { code: -32_603, message: String(thrown) };
      this.send({ id, error: rpc }, this.isHttp ? id : undefined);
    }
  }
}

export interface ServerTraits {
  readonly capabilities?: Params;
  readonly protocolVersion?: string;
  readonly isHttp?: boolean;
}

const allCapabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** A handshake server that answers only `initialize` until it is scripted. */
export function aHandshakeServer(traits: ServerTraits = {}): ScriptedServer {
  return new ScriptedServer(traits.isHttp).on('initialize', () => ({
    protocolVersion: traits.protocolVersion ?? '2025-11-25',
    capabilities: traits.capabilities ?? allCapabilities,
    serverInfo: { name: 'scripted', title: 'Scripted', version: '1.2.3' },
    instructions: 'Be kind.',
  }));
}

/** A server of the stateless era, likewise. */
export function aStatelessServer(traits: ServerTraits = {}): ScriptedServer {
  return new ScriptedServer(traits.isHttp)
    .on('server/discover', () => ({
      resultType: 'complete',
      supportedVersions: [traits.protocolVersion ?? '2026-07-28'],
      capabilities: traits.capabilities ?? { tools: {}, resources: {}, prompts: {} },
      instructions: 'Be brief.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '2.0.0' } },
    }))
    .on('subscriptions/listen', () => undefined);
}
