import { withTimeLimit, type Clock } from '../../kernel/index.ts';
import { isRecord, rpcErrorCode, type Params } from '../../protocol/index.ts';
import { BadAnswerError } from '../errors.ts';
import { UpstreamError } from './errors.ts';
import { ListReader, listRules, type Listed, type ListName } from './read-list.ts';
import type { DraftRequest } from './request-text.ts';
import { upstreamLimits } from './upstream-limits.ts';

export interface ListSource {
  /** Sends one of Tutti's own requests. */
  readonly request: (draft: DraftRequest, signal: AbortSignal) => Promise<Params>;
  readonly capabilities: () => Params;
  readonly onProblem: (problem: string) => void;
  readonly clock: Clock;
  readonly server: string;
}

interface Listing<Name extends ListName> {
  readonly items: readonly Listed[Name][];
  /** Infinity when only a change invalidates it. */
  readonly freshUntil: number;
}

type Listings = { [Name in ListName]?: Promise<Listing<Name>> | undefined };

/** The lists of one server: fetched on demand, cached until they change or their `ttlMs` has passed. */
export class UpstreamLists {
  readonly #source: ListSource;
  readonly #listings: Listings = {};
  readonly #freshUntil = new Map<ListName, number>();

  constructor(source: ListSource) {
    this.#source = source;
  }

  /** Expiry of a list according to the server's `ttlMs`; undefined before it was fetched. */
  freshUntil(name: ListName): number | undefined {
    return this.#freshUntil.get(name);
  }

  async list<Name extends ListName>(name: Name): Promise<readonly Listed[Name][]> {
    const { capability } = listRules[name];
    if (!isRecord(this.#source.capabilities()[capability])) return [];
    const known = this.#listings[name];
    const freshUntil = this.#freshUntil.get(name) ?? Number.POSITIVE_INFINITY;
    if (known && this.#source.clock.now() < freshUntil) return (await known).items;
    this.#freshUntil.delete(name);
    const fetching = this.#fetch(name);
    this.#listings[name] = fetching as Listings[Name];
    try {
      const { items, freshUntil: until } = await fetching;
      if (this.#listings[name] === fetching) this.#freshUntil.set(name, until);
      return items;
    } catch (error) {
      if (this.#listings[name] === fetching) this.#listings[name] = undefined;
      throw error;
    }
  }

  forget(name: ListName): void {
    this.#listings[name] = undefined;
    this.#freshUntil.delete(name);
  }

  forgetAll(): void {
    for (const name of ['tools', 'resources', 'resourceTemplates', 'prompts'] as const) {
      this.forget(name);
    }
  }

  #fetch<Name extends ListName>(name: Name): Promise<Listing<Name>> {
    const { method } = listRules[name];
    const limit = {
      what: `${method} of server "${this.#source.server}"`,
      limitMs: upstreamLimits.listMs,
      signal: new AbortController().signal,
    };
    return withTimeLimit(limit, (signal) => this.#readPages(name, signal));
  }

  async #readPages<Name extends ListName>(name: Name, signal: AbortSignal): Promise<Listing<Name>> {
    const { onProblem, clock } = this.#source;
    const { method } = listRules[name];
    const reader = new ListReader(name, onProblem);
    const cursors = new Set<string>();
    let ttlMs = Number.POSITIVE_INFINITY;
    let cursor: string | undefined;
    for (let page = 0; ; page += 1) {
      if (page >= upstreamLimits.maxPages) {
        onProblem(`answered ${method} with more than ${upstreamLimits.maxPages} pages`);
        break;
      }
      const result = await this.#readPage(method, cursor, signal);
      if (!result) break;
      if (typeof result['ttlMs'] === 'number') ttlMs = Math.min(ttlMs, result['ttlMs']);
      if (name === 'tools' && page === 0 && !Array.isArray(result['tools'])) {
        throw new BadAnswerError(this.#source.server, `the result of ${method} contains no list`);
      }
      if (!reader.take(result, pageBytes(result, page))) break;
      const next = result['nextCursor'];
      if (typeof next !== 'string') break;
      if (cursors.has(next)) {
        onProblem(`answered ${method} with the same page again and again`);
        break;
      }
      cursors.add(next);
      cursor = next;
    }
    return { items: reader.items, freshUntil: clock.now() + ttlMs };
  }

  /** Undefined when the server does not implement the method. */
  async #readPage(
    method: string,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<Params | undefined> {
    const members = cursor === undefined ? [] : [['cursor', JSON.stringify(cursor)] as const];
    try {
      return await this.#source.request({ method, members }, signal);
    } catch (error) {
      const isMissing =
        error instanceof UpstreamError && error.rpc.code === rpcErrorCode.methodNotFound;
      if (!isMissing) throw error;
      // A server with tools must list them.
      if (method === listRules.tools.method) throw error;
      // Servers with resources need not have templates.
      if (method !== 'resources/templates/list') {
        this.#source.onProblem(`declared what ${method} lists, and does not know the method`);
      }
      return undefined;
    }
  }
}

/** The first page is bounded by the message size; only further pages are measured. */
function pageBytes(result: Params, page: number): number {
  return page === 0 ? 0 : JSON.stringify(result).length;
}
