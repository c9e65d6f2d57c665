import type { ExecutorCall } from '../call-executor.ts';
import { wireTextOf, withWireText } from '../../contract/wire/index.ts';
import type { CallContext, ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { cacheMetaKey, type Tool, type ToolResult } from '../../contract/tool/index.ts';
import { digestJson, onceFor, orAborted, RecentValues } from '../../kernel/index.ts';
import { matchesGlob } from './matches-glob.ts';

/** Which results of a server are kept, and for how long. */
export interface CacheTerms {
  readonly ttlMs: number;
  /** Globs of tool names; all read-only tools by default. */
  readonly tools?: readonly string[] | undefined;
}

/** A call of a read-only tool, by what its result may depend on. */
export interface CacheableCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly context: CallContext;
  readonly send: (context: CallContext) => Promise<ToolResult>;
}

const maxBytes = 8 * 1024 * 1024;
const maxEntries = 1_000;
const maxResultBytes = 1024 * 1024;

/**
 * Results of read-only tools of one server; a server that is started differently has another one.
 *
 * 1. A result is given only to the caller it was made for, for the same tool definition and the same arguments.
 * 2. Nothing that was read before `clear` is given after it: a read that runs meanwhile is not kept.
 * 3. Equal calls at the same time share one. If that one fails or is cancelled, each of the others is sent.
 * 4. Failed and deferred results are not kept, and none for which the client was asked something.
 */
export class ResultCache {
  readonly #now: () => number;
  #kept = new RecentValues<Kept>(maxBytes);
  #running = new Map<string, Promise<ToolResult>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The server was written to, started or announced a change. */
  clear(): void {
    this.#kept = new RecentValues(maxBytes);
    this.#running = new Map();
  }

  async call(call: CacheableCall, { ttlMs }: CacheTerms): Promise<ToolResult> {
    const { context } = call;
    const key = keyOf(call);
    const kept = this.#kept.get(key);
    const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : this.#now() - kept.at;
    if (kept !== undefined && ageMs < ttlMs) {
      context.annotate?.({ 'tutti.cache': 'hit' });
      return marked(kept.result, ageMs);
    }
    const running = this.#running.get(key);
    if (!running) return this.#send(call, key);
    const shared = await orAborted(
      running.catch(() => undefined),
      context.signal,
    );
    if (!shared) return call.send(context);
    context.annotate?.({ 'tutti.cache': 'shared' });
    return marked(shared, 0);
  }

  async #send({ context, send }: CacheableCall, key: string): Promise<ToolResult> {
    context.annotate?.({ 'tutti.cache': 'miss' });
    // Those of now: after `clear` they are read no more.
    const [kept, running] = [this.#kept, this.#running];
    const noticing = context.client && new NoticingClient(context.client);
    const sending = send(noticing ? withClient(context, noticing) : context);
    running.set(key, sending);
    try {
      const result = await sending;
      const isOver = result.resultType === undefined || result.resultType === 'complete';
      if (isOver && result.isError !== true && noticing?.wasAsked !== true) {
        const bytes = (wireTextOf(result) ?? JSON.stringify(result)).length;
        const size = Math.max(bytes, maxBytes / maxEntries);
        if (bytes <= maxResultBytes) kept.set(key, { result, at: this.#now() }, size);
      }
      return result;
    } finally {
      running.delete(key);
    }
  }
}

interface Kept {
  readonly result: ToolResult;
  readonly at: number;
}

/** Whether results of this tool are kept. Its annotations are those that count, not those the server claims. */
export function isCacheable(tool: Tool, terms: CacheTerms, { extra }: CallContext): boolean {
  const isNamed = terms.tools?.some((pattern) => matchesGlob(pattern, tool.name)) ?? true;
  return isNamed && tool.annotations?.readOnlyHint === true && extra === undefined;
}

const digestOf = onceFor((tool: Tool) => ({ digest: digestJson(tool) }));

function keyOf({ tool, args, context: { caller } }: CacheableCall): string {
  return digestJson([caller.tenant, caller.id, digestOf(tool).digest, argumentsKey(args)]);
}

/** Numbers that two texts may share although they differ. */
const longNumber = /\d{16}|\de[+-]?\d{2}/i;

function argumentsKey(args: unknown): unknown {
  const text = typeof args === 'object' && args !== null ? wireTextOf(args) : undefined;
  return text !== undefined && longNumber.test(text) ? text : args;
}

function marked(result: ToolResult, ageMs: number): ToolResult {
  const mark = { hit: true, ageMs: Math.max(0, Math.round(ageMs)) };
  const copy = { ...result, _meta: { ...result._meta, [cacheMetaKey]: mark } };
  const text = wireTextOf(result);
  if (text === undefined || result._meta !== undefined || !text.startsWith('{"')) return copy;
  return withWireText(copy, `{"_meta":${JSON.stringify(copy._meta)},${text.slice(1)}`);
}

/** The same context with another client. */
function withClient(context: CallContext, client: ClientPort): CallContext {
  // Inherits: its members may be getters.
  return Object.create(context, { client: { value: client, enumerable: true } });
}

/** Remembers whether the server asked the client: then the result depends on the answer. */
class NoticingClient implements ClientPort {
  readonly #client: ClientPort;
  wasAsked = false;

  constructor(client: ClientPort) {
    this.#client = client;
  }

  get id(): string {
    return this.#client.id;
  }

  get era(): ClientPort['era'] {
    return this.#client.era;
  }

  get peer(): string | undefined {
    return this.#client.peer;
  }

  get capabilities(): ClientPort['capabilities'] {
    return this.#client.capabilities;
  }

  ask(request: ClientRequest, signal: AbortSignal): ReturnType<ClientPort['ask']> {
    this.wasAsked = true;
    return this.#client.ask(request, signal);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#client.notify(method, params);
  }
}

interface KeptCall {
  readonly server: {
    readonly results: ResultCache;
    readonly runner: { readonly opened: unknown };
  };
  readonly tool: Tool;
  readonly args: unknown;
  readonly send: ExecutorCall['work'];
}

/** Answers a read from the results of its server where they are kept; a write makes them invalid. */
export function keepingResults(
  { server, tool, args, send }: KeptCall,
  terms: CacheTerms,
): ExecutorCall['work'] {
  return async (context, inSpan) => {
    const sendIn = (inner: CallContext): Promise<ToolResult> => send(inner, inSpan);
    // A server that has ended may have lost its state.
    if (!server.runner.opened) server.results.clear();
    if (isCacheable(tool, terms, context)) {
      return server.results.call({ tool, args, context, send: sendIn }, terms);
    }
    if (tool.annotations?.readOnlyHint === true) return sendIn(context);
    server.results.clear();
    try {
      return await sendIn(context);
    } finally {
      server.results.clear();
    }
  };
}
