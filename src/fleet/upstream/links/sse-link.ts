import type { IncomingMessage } from 'node:http';
import type { RequestId } from '../../../protocol/index.ts';
import { ExchangeBrokenError, HttpStatusError, InvalidEndpointError } from '../../errors.ts';
import type { Link, LinkListener, OutgoingMessage } from '../link.ts';
import { excerptOf, type Redact } from './excerpt.ts';
import { checkedHeaders, checkedUrl, HttpCaller } from './http-caller.ts';
import { defaultHttpLinkLimits, type HttpLinkLimits } from './http-limits.ts';
import type { HttpLinkOptions } from './http-link.ts';
import { MessageDispatcher } from './message-dispatcher.ts';
import { readEvents } from './read-events.ts';
import { mediaTypeOf, readBeginning } from './read-response.ts';

const maxFailureBytes = 64 * 1024;
const maxEndpointLength = 8_192;

/**
 * The HTTP+SSE transport (version 2024-11-05): one event stream carries all messages of the server, and its first
 * event names the endpoint for POSTs. Rejects when the stream cannot be opened, or names no endpoint of its own
 * origin in time. The link ends with the stream.
 */
export async function openSseLink(options: HttpLinkOptions, listener: LinkListener): Promise<Link> {
  const { name, onExcerpt = () => {}, redact } = options;
  const url = checkedUrl(name, options.url);
  const limits = { ...defaultHttpLinkLimits, ...options.limits };
  const headers = checkedHeaders(name, options.headers);
  const caller = await HttpCaller.open(options, url, limits);
  try {
    const parts = { name, url, headers, caller, limits, redact };
    const stream = await openStream(parts);
    const link = new SseLink({ ...parts, onExcerpt, listener, stream });
    await link.opened;
    return link;
  } catch (error) {
    caller.close();
    throw error;
  }
}

interface StreamParts {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: HttpCaller;
  readonly limits: HttpLinkLimits;
  readonly redact: Redact | undefined;
}

async function openStream(parts: StreamParts): Promise<IncomingMessage> {
  const { name, url, headers, caller, limits } = parts;
  const stream = await caller.call({
    method: 'GET',
    url,
    headers: { ...headers, accept: 'text/event-stream' },
    headLimitMs: limits.headLimitMs,
  });
  const status = stream.statusCode ?? 0;
  if (status === 200 && mediaTypeOf(stream) === 'events') return stream;
  const body = await readBeginning(stream, maxFailureBytes);
  if (status !== 200) throw new HttpStatusError(name, status, excerptOf(body, parts.redact));
  throw new InvalidEndpointError(
    name,
    'its url does not serve an event stream. Check url and transport',
  );
}

interface Parts extends StreamParts {
  readonly onExcerpt: (excerpt: string) => void;
  readonly listener: LinkListener;
  readonly stream: IncomingMessage;
}

class SseLink implements Link {
  readonly pid = undefined;
  /** Resolves when the server has named its endpoint; rejects when it does not. */
  readonly opened: Promise<void>;
  readonly #parts: Parts;
  readonly #dispatcher: MessageDispatcher;
  readonly #ended: Promise<void>;
  readonly #posts = new AbortController();
  #endpoint: URL | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#dispatcher = new MessageDispatcher({ ...parts, limits: parts.limits.message });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    this.#ended = this.#read(resolve, reject);
  }

  send(message: OutgoingMessage): void {
    if (!this.#isClosed && !this.#isWanted && this.#endpoint)
      void this.#post(message, this.#endpoint);
  }

  async close(): Promise<void> {
    this.#isWanted = true;
    this.#parts.stream.destroy();
    await this.#ended;
  }

  async #read(onEndpoint: () => void, onNone: (error: Error) => void): Promise<void> {
    const { name, stream, limits, listener, caller } = this.#parts;
    const giveUp = (problem: string): void => {
      onNone(new InvalidEndpointError(name, problem));
      stream.destroy();
    };
    const timer = setTimeout(
      giveUp,
      limits.headLimitMs,
      'it did not name its message endpoint in time',
    );
    await readEvents(stream, {
      limits,
      onEvent: ({ type, data }) => {
        if (this.#isWanted) return true;
        if (type === 'endpoint') {
          if (!this.#takeEndpoint(data)) giveUp('its message endpoint has another origin');
          else onEndpoint();
          clearTimeout(timer);
          return true;
        }
        return (
          type !== 'message' || data.length === 0 || this.#dispatcher.dispatch(data) !== 'answer'
        );
      },
      onLongEvent: () => listener.onProblem('sent a message larger than allowed'),
      onFlood: () => listener.onProblem('flooded its output and was slowed down'),
    });
    clearTimeout(timer);
    this.#isClosed = true;
    this.#posts.abort();
    caller.close();
    if (this.#endpoint === undefined) {
      onNone(
        new InvalidEndpointError(
          name,
          'its event stream ended before it named its message endpoint',
        ),
      );
      return;
    }
    const reason = this.#isWanted ? 'The link was closed' : 'The server ended its event stream';
    listener.onClose({ reason, isWanted: this.#isWanted });
  }

  /** Only the first endpoint counts. */
  #takeEndpoint(data: Buffer): boolean {
    if (this.#endpoint) return true;
    const { url } = this.#parts;
    if (data.length > maxEndpointLength) return false;
    const endpoint = URL.parse(data.toString('utf8'), url.href);
    if (endpoint?.origin !== url.origin) return false;
    this.#endpoint = endpoint;
    return true;
  }

  async #post({ id, method, text, headers }: OutgoingMessage, endpoint: URL): Promise<void> {
    const { name, caller, limits } = this.#parts;
    try {
      const response = await caller.call({
        method: 'POST',
        url: endpoint,
        headers: { ...this.#parts.headers, 'content-type': 'application/json', ...headers },
        body: text,
        signal: this.#posts.signal,
        headLimitMs: limits.headLimitMs,
        isSentOnce: method === 'tools/call',
      });
      const status = response.statusCode ?? 0;
      const body = await readBeginning(response, maxFailureBytes);
      if (status < 200 || status >= 300) {
        this.#fail(id, new HttpStatusError(name, status, excerptOf(body, this.#parts.redact)));
      }
    } catch (error) {
      this.#fail(id, error instanceof Error ? error : new ExchangeBrokenError(name, String(error)));
    }
  }

  #fail(id: RequestId | undefined, error: Error): void {
    if (this.#isClosed || this.#isWanted) return;
    const { listener } = this.#parts;
    if (id === undefined) listener.onProblem('rejected a notification');
    else listener.onRequestFailed(id, error);
  }
}
