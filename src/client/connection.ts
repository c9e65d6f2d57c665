import { AppError, type Secret } from '../kernel/index.ts';
import type { ClientEvent, ListItem, ListName } from './connect.ts';
import { operations, type Operations } from './operations.ts';

export interface ConnectionOptions {
  /** Where the server listens: `https://tutti.example.com`. */
  readonly url: string;
  /** An API key, a JWT, or the token of the machine. */
  readonly token?: Secret | string | undefined;
  /** For one request, event streams excepted. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** The same key starts the same thing once, however often the request is sent. */
  readonly idempotencyKey?: string | undefined;
}

/** The server refused or failed a request: code, message and details are the server's own. */
class ApiError extends AppError {
  readonly code: string;

  constructor(code: string, { detail, title, details }: Problem) {
    super(detail ?? title ?? code, { details: details ?? {} });
    this.code = code;
  }
}

/** An error that no Tutti server wrote, such as that of a proxy. */
class UnreadableAnswerError extends AppError {
  readonly code = 'client.request_failed';

  constructor(status: number, { title }: Problem) {
    super(title ?? `The server answered with status ${status}`, { details: { status } });
  }
}

interface Problem {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

class ServerUnreachableError extends AppError {
  readonly code = 'client.server_unreachable';
  override readonly retryable = true;

  constructor(url: string, cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : '';
    super(`The Tutti server at ${url} cannot be reached: ${reason}`, { cause, details: { url } });
  }
}

const defaultTimeoutMs = 600_000;
const reconnectMs = 500;
/** Attempts without a single event in between. */
const maxReconnects = 20;
const maxEventChars = 16 * 1024 * 1024;

/** HTTP to the API of one server. */
export class Connection {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ url, token, timeoutMs = defaultTimeoutMs }: ConnectionOptions) {
    const { origin, pathname, protocol } = new URL(url);
    if (!/^https?:$/.test(protocol)) throw new TypeError(`"${url}" is no http or https address`);
    this.#base = `${origin}${pathname.replace(/\/+$/, '')}`;
    const text = typeof token === 'string' || token === undefined ? token : token.reveal();
    this.#headers = {
      accept: 'application/json',
      ...(text !== undefined && { authorization: `Bearer ${text}` }),
    };
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request for an operation of the API document and gives its answer. */
  async call<Name extends keyof Operations>(
    name: Name,
    input: Operations[Name]['input'],
    { signal, idempotencyKey }: RequestOptions = {},
  ): Promise<Operations[Name]['output']> {
    const [method, template] = operations[name];
    const { path = {}, query = {}, body } = input as AnyInput;
    const response = await this.#fetch(this.#address(template, path, query), {
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), ...(signal ? [signal] : [])]),
    });
    const text = await response.text();
    if (!response.ok) throw failureOf(response.status, text);
    // The document says what the server answers.
    return (text === '' ? null : JSON.parse(text)) as Operations[Name]['output'];
  }

  /** Items of all pages of a list, at most `limit`. */
  async all<Name extends ListName>(
    name: Name,
    input: Operations[Name]['input'],
    { limit = Infinity, signal }: { readonly limit?: number; readonly signal?: AbortSignal } = {},
  ): Promise<ListItem<Name>[]> {
    const items: ListItem<Name>[] = [];
    let cursor: string | null = null;
    do {
      const query = {
        ...(input as AnyInput).query,
        limit: Math.min(limit - items.length, pageSize),
        ...(cursor !== null && { cursor }),
      };
      const page = (await this.call(name, { ...input, query }, { signal })) as Page<ListItem<Name>>;
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null && items.length < limit);
    return items;
  }

  /** Events of a run or a turn until it is over. Reconnects where it left off: no event is lost or repeated. */
  async *events(
    of: 'runs' | 'turns',
    id: string,
    signal: AbortSignal,
  ): AsyncGenerator<ClientEvent> {
    let lastId: string | undefined;
    for (let attempts = 0; attempts < maxReconnects; attempts += 1) {
      const response = await this.#fetch(this.#address(`/api/v1/${of}/{id}/events`, { id }, {}), {
        headers: {
          ...this.#headers,
          accept: 'text/event-stream',
          ...(lastId !== undefined && { 'last-event-id': lastId }),
        },
        signal,
      });
      if (response.status === 204) return;
      if (!response.ok) throw failureOf(response.status, await response.text());
      try {
        for await (const event of readEvents(response)) {
          if (event.id !== undefined) lastId = event.id;
          attempts = 0;
          yield event;
        }
      } catch (error) {
        if (signal.aborted) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, reconnectMs));
    }
  }

  #address(
    template: string,
    path: Readonly<Record<string, string>>,
    query: Readonly<Record<string, unknown>>,
  ): string {
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
    const search = new URLSearchParams(texts);
    return `${this.#base}${filled}${given.length === 0 ? '' : `?${search.toString()}`}`;
  }

  async #fetch(address: string, init: RequestInit): Promise<Response> {
    try {
      // A redirect would carry the token to an address of another's choice.
      return await fetch(address, { ...init, redirect: 'error' });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ServerUnreachableError(this.#base, error);
    }
  }
}

const pageSize = 100;

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The error of a problem. */
export function failureOf(status: number, text: string): AppError {
  const problem = readProblem(text);
  return problem.code === undefined
    ? new UnreadableAnswerError(status, problem)
    : new ApiError(problem.code, problem);
}

function readProblem(text: string): Problem {
  try {
    return Object(JSON.parse(text)) as Problem;
  } catch {
    return {};
  }
}

/** The events of a response, one by one. */
async function* readEvents(response: Response): AsyncGenerator<ClientEvent> {
  let pending = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    pending += piece;
    if (pending.length > maxEventChars) throw new Error('An event is longer than allowed');
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

function readEvent(block: string): ClientEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
}
