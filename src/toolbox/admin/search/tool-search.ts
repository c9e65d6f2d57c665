import { isInScope } from '../../../contract/access/index.ts';
import type { Caller } from '../../../contract/caller/index.ts';
import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { reportError, type Log } from '../../../kernel/index.ts';
import { splitWords, WordIndex } from '../../search/word-index.ts';
import { fieldsOf, passagesOf, plainQuery, readSynonyms, withSynonyms } from './tool-text.ts';
import { explain, fuse, searchWords, type Ranked, type WordHit } from './rank-tools.ts';

/** Turns texts into vectors of length 1 whose product says how similar they are. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

interface ToolSearchParts {
  /** The tools as they are; the same array as long as nothing changed. */
  readonly entries: () => Promise<readonly CatalogueEntry[]>;
  /** Embeds texts of tools; without it words alone decide. */
  readonly tools?: Embedder | undefined;
  /** Embeds queries: apart, because these are not to be kept. */
  readonly queries?: Embedder | undefined;
  readonly log: Log;
}

interface FindRequest {
  readonly query: string;
  /** How many tools at most. */
  readonly count: number;
  readonly signal: AbortSignal;
  /** Finds only what this caller may see; everything without one. */
  readonly caller?: Caller;
  /** How long to wait for the tools' vectors and for the query's before words alone decide. */
  readonly patience?: Patience;
}

export interface Patience {
  readonly toolsMs: number;
  readonly queryMs: number;
}

interface FoundTool {
  readonly entry: CatalogueEntry;
  /** From 0 to 1, comparable within one answer only. */
  readonly score: number;
  /** Why it was found, in a few words. */
  readonly reason: () => string;
}

interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** What decided: `words` when they say enough, while the vectors are being made, or without a model. */
  readonly rankedBy: 'words' | 'words and meaning';
}

/** Long enough to read kept vectors and to load the model; far too short to embed a thousand tools. */
const defaultPatience: Patience = { toolsMs: 100, queryMs: 1_500 };
/** With fewer tools embedded than this part of all, those that are would be preferred. */
const minEmbeddedPart = 0.9;
/**
 * A tool that holds this much of what the query asks for is found without the model, which takes many
 * times longer: on the tuning half of the requests it would find no other.
 */
const sureScore = 0.4;
/** More would keep a core busy for minutes; words alone decide then. */
const maxEmbeddedTools = 5_000;
const toolsPerRound = 32;
const lengthPenalty = 0.5;
const maxQueryChars = 1_000;
const maxKeptQueries = 256;

/**
 * Finds tools by words (at once) and by meaning (as soon as every tool has its vectors).
 *
 * 1. The indexes follow the catalogue: of a new listing only the tools that changed are read again.
 * 2. One run embeds at a time, behind the answers, and takes in what changed meanwhile.
 */
export class ToolSearch {
  readonly #parts: ToolSearchParts;
  readonly #synonyms = readSynonyms();
  readonly #words = new WordIndex<string>(lengthPenalty);
  /** By tool, the vectors of its passages. */
  readonly #vectors = new Map<string, readonly Float32Array[]>();
  readonly #queryVectors = new Map<string, Float32Array>();
  #known: ReadonlyMap<string, CatalogueEntry> = new Map();
  #listing: readonly CatalogueEntry[] = [];
  #embedding: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(parts: ToolSearchParts) {
    this.#parts = parts;
  }

  async find(request: FindRequest): Promise<FoundTools> {
    const query = request.query.slice(0, maxQueryChars);
    await this.#follow();
    const plain = plainQuery(query);
    const words = searchWords(this.#words, withSynonyms(splitWords(plain), this.#synonyms));
    const behind = this.#embedBehind();
    const closeness = isSure(words) ? undefined : await this.#closenessTo(plain, behind, request);
    request.signal.throwIfAborted();
    const ranked = fuse(words, closeness);
    const tools = this.#best(query, ranked, request);
    return { tools, rankedBy: closeness ? 'words and meaning' : 'words' };
  }

  /** Makes the vectors of what is new, if the search is in use. */
  refresh(): void {
    if (this.#listing.length > 0) void this.#follow().then(() => this.#embedBehind());
  }

  close(): void {
    this.#closed.abort();
  }

  async #follow(): Promise<void> {
    const listing = await this.#parts.entries();
    if (listing === this.#listing) return;
    this.#listing = listing;
    const before = this.#known;
    const known = new Map(listing.map((entry) => [entry.wireName, entry]));
    this.#known = known;
    for (const id of before.keys()) {
      if (known.has(id)) continue;
      this.#words.remove(id);
      this.#vectors.delete(id);
    }
    for (const [id, entry] of known) {
      const old = before.get(id);
      if (old && (old.tool === entry.tool || isSameText(old, entry))) continue;
      const fields = fieldsOf(entry);
      const length = fields.reduce((sum, { words, weight }) => sum + words.length * weight, 0);
      this.#words.put(id, fields, length);
      this.#vectors.delete(id);
    }
  }

  /** Undefined when vectors are missing after all the waiting the request allows. */
  async #closenessTo(
    query: string,
    behind: Promise<void>,
    { signal, patience = defaultPatience }: FindRequest,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    const { queries, tools } = this.#parts;
    if (!queries || !tools) return undefined;
    await within(patience.toolsMs, behind);
    const missing = this.#missing().length;
    if (missing > this.#known.size * (1 - minEmbeddedPart)) return undefined;
    const vector =
      this.#queryVectors.get(query) ??
      (await within(patience.queryMs, this.#embedQuery(queries, query, signal)));
    return vector && this.#compare(vector);
  }

  /** How close each tool is, from -1 to 1: as close as its closest passage. */
  #compare(query: Float32Array): Map<string, number> {
    const closest = (passages: readonly Float32Array[]): number =>
      Math.max(...passages.map((passage) => dotProduct(query, passage)));
    return new Map([...this.#vectors].map(([id, passages]) => [id, closest(passages)]));
  }

  async #embedQuery(
    queries: Embedder,
    query: string,
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> {
    try {
      const [vector] = await queries.embed([query], signal);
      if (!vector) return undefined;
      this.#queryVectors.set(query, vector);
      const [oldest] = this.#queryVectors.keys();
      if (this.#queryVectors.size > maxKeptQueries && oldest !== undefined) {
        this.#queryVectors.delete(oldest);
      }
      return vector;
    } catch (error) {
      if (!signal.aborted) this.#warn(error);
      return undefined;
    }
  }

  #missing(): readonly [string, CatalogueEntry][] {
    return [...this.#known].filter(([id]) => !this.#vectors.has(id));
  }

  #embedBehind(): Promise<void> {
    this.#embedding ??= this.#embedMissing().finally(() => {
      this.#embedding = undefined;
    });
    return this.#embedding;
  }

  async #embedMissing(): Promise<void> {
    const { tools } = this.#parts;
    const { signal } = this.#closed;
    if (!tools || this.#known.size > maxEmbeddedTools) return;
    while (!signal.aborted) {
      const round = this.#missing().slice(0, toolsPerRound);
      if (round.length === 0) return;
      try {
        await this.#embedRound(tools, round);
      } catch (error) {
        if (!signal.aborted) this.#warn(error);
        return;
      }
    }
  }

  async #embedRound(tools: Embedder, round: readonly [string, CatalogueEntry][]): Promise<void> {
    const passages = round.map(([, entry]) => passagesOf(entry));
    const vectors = await tools.embed(passages.flat(), this.#closed.signal);
    let from = 0;
    round.forEach(([id, entry], at) => {
      const to = from + (passages[at]?.length ?? 0);
      // It may have changed or gone while its old text was embedded.
      if (this.#known.get(id) === entry) this.#vectors.set(id, vectors.slice(from, to));
      from = to;
    });
  }

  /** Who says a tool's name means it, so it comes first. */
  #best(
    query: string,
    ranked: readonly Ranked[],
    { count, caller }: Pick<FindRequest, 'count' | 'caller'>,
  ): FoundTool[] {
    const name = query.trim();
    const found = ranked.flatMap((rank) => {
      const entry = this.#known.get(rank.id);
      if (!entry || (caller && !isInScope(caller, entry.name))) return [];
      const isNamed = [entry.name, entry.wireName, entry.tool.name].includes(name);
      return [{ entry, rank, isNamed }];
    });
    return [...found.filter((it) => it.isNamed), ...found.filter((it) => !it.isNamed)]
      .slice(0, count)
      .map(({ entry, rank, isNamed }) =>
        isNamed
          ? { entry, score: 1, reason: () => 'its name is the query' }
          : { entry, score: rank.score, reason: () => explain(entry, rank) },
      );
  }

  #warn(error: unknown): void {
    const { message } = reportError(error);
    this.#parts.log.warn('embedding failed, ranking tools by words alone', { message });
  }
}

function isSure(words: ReadonlyMap<string, WordHit>): boolean {
  for (const { score } of words.values()) if (score >= sureScore) return true;
  return false;
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function isSameText(a: CatalogueEntry, b: CatalogueEntry): boolean {
  return JSON.stringify([a.server, a.tool]) === JSON.stringify([b.server, b.tool]);
}

/** What `work` gives, or undefined when it takes longer; it goes on all the same. */
async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
