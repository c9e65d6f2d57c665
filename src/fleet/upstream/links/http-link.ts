import type { IncomingMessage } from 'node:http';
import { LazyAbort } from '../../../kernel/index.ts';
import { decodeMessage, IdTable, type RequestId } from '../../../protocol/index.ts';
import { BadAnswerError, HttpStatusError, SessionExpiredError } from '../../errors.ts';
import type { Link, LinkListener, OutgoingMessage } from '../link.ts';
import { answerFromEvents } from './answer-from-events.ts';
import { excerptOf, type Redact } from './excerpt.ts';
import { checkedHeaders, checkedUrl, HttpCaller, type RequestAuthorizer } from './http-caller.ts';
import { defaultHttpLinkLimits, type HttpLinkLimits } from './http-limits.ts';
import { ListenStream } from './listen-stream.ts';
import { MessageDispatcher } from './message-dispatcher.ts';
import { mediaTypeOf, readBeginning, readBody } from './read-response.ts';

export interface HttpLinkOptions {
  /** The server's name, for errors. */
  readonly name: string;
  readonly url: string;
  /** Sent with every request; their values are never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly authorizer?: RequestAuthorizer | undefined;
  /** Called with the beginning of invalid input. */
  readonly onExcerpt?: (excerpt: string) => void;
  readonly redact?: Redact | undefined;
  readonly limits?: Partial<HttpLinkLimits>;
}

/** A link over Streamable HTTP. Its owner handles the differences between the eras. */
export interface HttpLink extends Link {
  /** Issued by the server with the result of `initialize`; sent with every later request. */
  readonly sessionId: string | undefined;
  /** Handshake era: the negotiated version, sent as a header from now on. */
  setProtocolVersion(version: string): void;
  /**
   * Handshake era: opens the stream for messages that belong to no request, and keeps it open. Called
   * after `notifications/initialized`, and again after each later handshake. Servers may offer none.
   */
  listen(): void;
}

/** Validates the url only; the first request shows whether the server is reachable. */
export async function openHttpLink(
  options: HttpLinkOptions,
  listener: LinkListener,
): Promise<HttpLink> {
  const { name } = options;
  const url = checkedUrl(name, options.url);
  const limits = { ...defaultHttpLinkLimits, ...options.limits };
  const headers = checkedHeaders(name, options.headers);
  const caller = await HttpCaller.open(options, url, limits);
  const { onExcerpt = () => {}, redact } = options;
  const parts = { name, url, headers, caller, limits, onExcerpt, redact, listener };
  return new StreamableHttpLink(parts);
}

interface Parts {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: HttpCaller;
  readonly limits: HttpLinkLimits;
  readonly onExcerpt: (excerpt: string) => void;
  readonly redact: Redact | undefined;
  readonly listener: LinkListener;
}

const maxFailureBytes = 64 * 1024;

/**
 * 1. Each message is an HTTP exchange of its own; exchanges run concurrently, except that those after
 *    `notifications/initialized` wait until the server has accepted it.
 * 2. A request ends in exactly one of: a response, `onRequestFailed`, or its signal.
 * 3. After `close` nothing is delivered.
 */
class StreamableHttpLink implements HttpLink {
  readonly pid = undefined;
  sessionId: string | undefined;
  readonly #parts: Parts;
  readonly #dispatcher: MessageDispatcher;
  readonly #running = new IdTable<LazyAbort>();
  #exchanges = 0;
  /** Headers of a POST, cached while session and version stay the same. */
  #usualHeaders: Readonly<Record<string, string>> | undefined;
  #version: string | undefined;
  #handshake: Promise<void> | undefined;
  #listening: ListenStream | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#dispatcher = new MessageDispatcher({ ...parts, limits: parts.limits.message });
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
    this.#usualHeaders = undefined;
  }

  listen(): void {
    const { caller, url, limits, listener } = this.#parts;
    this.#listening?.stop();
    if (this.#closed) return;
    this.#listening = new ListenStream({
      caller,
      url,
      limits,
      headers: this.#headers(),
      dispatcher: this.#dispatcher,
      listener,
      after: this.#handshake ?? Promise.resolve(),
    });
  }

  send(message: OutgoingMessage): void {
    if (this.#closed) return;
    const before = this.#handshake;
    const exchange =
      before === undefined
        ? this.#exchange(message)
        : before.then(async () => await this.#exchange(message));
    if (message.method !== 'notifications/initialized') return;
    const handshake = exchange.then(() => {
      if (this.#handshake === handshake) this.#handshake = undefined;
    });
    this.#handshake = handshake;
  }

  async close(): Promise<void> {
    this.#closed ??= this.#shut();
    await this.#closed;
  }

  /** Never rejects. */
  async #exchange(message: OutgoingMessage): Promise<void> {
    const { listener } = this.#parts;
    const { id } = message;
    if (this.#closed || message.abort?.isAborted) return;
    const number = (this.#exchanges += 1);
    const exchange = new LazyAbort();
    const onAbort = (): void => exchange.abort(message.abort?.reason);
    message.abort?.watch(onAbort);
    this.#running.set(number, exchange);
    try {
      await this.#post(message, exchange);
    } catch (error) {
      if (exchange.isAborted) return;
      if (id === undefined) listener.onProblem('rejected a notification');
      else listener.onRequestFailed(id, error instanceof Error ? error : new Error(String(error)));
    } finally {
      message.abort?.unwatch(onAbort);
      this.#running.delete(number);
    }
  }

  async #post(message: OutgoingMessage, abort: LazyAbort): Promise<void> {
    const { caller, url, limits } = this.#parts;
    const { id, text, method } = message;
    if (method === 'initialize') this.#forgetSession();
    const session = this.sessionId;
    const response = await caller.call({
      method: 'POST',
      url,
      headers: this.#postHeaders(message),
      body: text,
      abort,
      headLimitMs: id === undefined ? limits.headLimitMs : undefined,
      isSentOnce: method === 'tools/call',
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) {
      await this.#takeFailure(response, { id, session });
      return;
    }
    if (method === 'initialize') {
      this.sessionId = headerOf(response, 'mcp-session-id');
      this.#usualHeaders = undefined;
    }
    if (id === undefined) {
      await readBeginning(response, maxFailureBytes);
      return;
    }
    if (mediaTypeOf(response) !== 'json') {
      await this.#takeEvents(response, id, abort);
      return;
    }
    const { name } = this.#parts;
    const body = await readBody(response, { server: name, maxBytes: limits.message.maxBytes });
    if (abort.isAborted) return;
    if (this.#dispatcher.dispatch(body, id) !== 'answer') {
      throw new BadAnswerError(name, 'it contains no answer to the request');
    }
  }

  async #takeEvents(
    response: IncomingMessage,
    id: RequestId,
    { signal }: LazyAbort,
  ): Promise<void> {
    const { caller, url, limits, name, listener } = this.#parts;
    if (mediaTypeOf(response) !== 'events') {
      response.destroy();
      throw new BadAnswerError(name, 'it is neither JSON nor an event stream');
    }
    await answerFromEvents(response, {
      server: name,
      id,
      signal,
      limits,
      listener,
      dispatcher: this.#dispatcher,
      resume: async (lastEventId) =>
        await caller.call({
          method: 'GET',
          url,
          headers: {
            ...this.#headers(),
            accept: 'text/event-stream',
            'last-event-id': lastEventId,
          },
          signal,
          headLimitMs: limits.headLimitMs,
        }),
    });
  }

  /** Handles a failure status; a JSON-RPC error in the body is the response. */
  async #takeFailure(
    response: IncomingMessage,
    { id, session }: { id: RequestId | undefined; session: string | undefined },
  ): Promise<void> {
    const { name } = this.#parts;
    const status = response.statusCode ?? 0;
    const body = await readBeginning(response, maxFailureBytes);
    if (session !== undefined && isSessionGone(status, body)) {
      throw new SessionExpiredError(name, session === this.sessionId);
    }
    if (
      id !== undefined &&
      isErrorFor(body, id) &&
      this.#dispatcher.dispatch(body, id) === 'answer'
    )
      return;
    throw new HttpStatusError(name, status, excerptOf(body, this.#parts.redact));
  }

  #postHeaders({ headers }: OutgoingMessage): Readonly<Record<string, string>> {
    this.#usualHeaders ??= {
      ...this.#headers(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return isEmpty(headers) ? this.#usualHeaders : { ...this.#usualHeaders, ...headers };
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = { ...this.#parts.headers };
    if (this.sessionId !== undefined) headers['mcp-session-id'] = this.sessionId;
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version;
    return headers;
  }

  #forgetSession(): void {
    this.#listening?.stop();
    this.#listening = undefined;
    this.sessionId = undefined;
    this.#version = undefined;
    this.#usualHeaders = undefined;
  }

  async #shut(): Promise<void> {
    const { caller, listener } = this.#parts;
    this.#listening?.stop();
    const reason = new Error('The link was closed');
    for (const exchange of this.#running.values()) exchange.abort(reason);
    await this.#endSession();
    caller.close();
    listener.onClose({ reason: 'The link was closed', isWanted: true });
  }

  async #endSession(): Promise<void> {
    if (this.sessionId === undefined) return;
    const { caller, url, limits } = this.#parts;
    const signal = AbortSignal.timeout(limits.closeLimitMs);
    try {
      const headers = this.#headers();
      const response = await caller.call({ method: 'DELETE', url, headers, signal });
      response.destroy();
    } catch {
      // The server will expire the session.
    }
  }
}

function isEmpty(headers: object | undefined): boolean {
  for (const _name in headers) return false;
  return true;
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The specification says 404; many servers send 400 with an error that mentions the session. */
function isSessionGone(status: number, body: Buffer): boolean {
  if (status === 404) return true;
  if (status !== 400) return false;
  const message = decodeMessage(body);
  if (message.kind !== 'response' || !('error' in message.outcome)) return false;
  const { code, message: said } = message.outcome.error;
  return (code === -32_000 || code === -32_001) && /session/i.test(said);
}

function isErrorFor(body: Buffer, id: RequestId): boolean {
  const message = decodeMessage(body);
  if (message.kind !== 'response' || !('error' in message.outcome)) return false;
  return message.id === null || message.id === id;
}
