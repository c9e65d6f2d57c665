import type { ServerStatus, ToolChange, ToolDiff, ToolFlag } from '../../contract/fleet/index.ts';
import type { CallContext, McpServer, ServerChange } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import {
  reportError,
  withTimeLimit,
  type Semaphore,
  type Log,
  type Timers,
} from '../../kernel/index.ts';
import { ListingFailedError } from '../errors.ts';
import type { OpenedServer, RunnerListener, ServerRunner } from '../server-runner.ts';
import type { StartLimiter } from '../supervise/start-limiter.ts';
import { visibleText } from '../inspect/hidden-characters.ts';
import { inspectListing } from '../inspect/inspect-tool.ts';
import { takeListing, type Listing } from './listing.ts';
import type { ListingCache } from './listing-cache.ts';
import { ResultCache, type CacheTerms } from './result-cache.ts';
import { ServerPins } from './server-pins.ts';

/** Settings of a server that can change without restarting it. */
export interface OfferTerms {
  /** Prefix of its tools, if not its name. */
  readonly prefix?: string | undefined;
  /** Globs of the tool names to offer; all by default. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Time limit of its calls without progress, where it differs from the default. */
  readonly timeoutMs?: number | undefined;
  /** Its annotations count even where they ask for less care. */
  readonly isTrusted?: boolean | undefined;
  /** Results of its read-only tools that are kept; none by default. */
  readonly results?: CacheTerms | undefined;
  /** Tools that are changed or added later are not offered until they are accepted. */
  readonly isHolding?: boolean | undefined;
}

export interface FleetServerOptions extends OfferTerms {
  readonly name: string;
  readonly source: ServerStatus['source'];
  /** False: lists for MCP clients leave its tools out; see `ServerEntry`. */
  readonly isListed?: boolean | undefined;
  /** Limits background starts; without it they are immediate. */
  readonly startLimiter?: StartLimiter | undefined;
  /** Its listing, where known already; otherwise the cached one is used. */
  readonly known?: Listing | undefined;
  /** Its own slots for calls, so that a hanging server takes none from others. */
  readonly semaphore?: Semaphore | undefined;
  /** Cache key, different per version and settings; undefined: never cached. */
  readonly cacheKey?: string | undefined;
  readonly cache: ListingCache;
  /** How long the first listing waits for a server without a cached listing. */
  readonly firstWaitMs: number;
  readonly timers: Timers;
  readonly log: Log;
}

export interface FleetServerListener {
  /** The listing changed. */
  onListed(): void;
  /** A change of this server; resource uris are the server's own. */
  onChange(change: ServerChange, server: FleetServer): void;
}

/** Time limit of one refresh of all lists; each list also has its own. */
const refreshLimitMs = 60_000;
/** Changes announced within this time after a refresh are coalesced into one more refresh. */
const refreshPauseMs = 200;
/** Backoff before a failed listing is retried: doubles from the first to the longest. */
const firstRetryMs = 1_000;
const maxRetryMs = 5 * 60_000;

const limitedLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

/**
 * A server of the fleet and its listing.
 *
 * 1. A listing is only replaced by a newer one, never cleared by a failure.
 * 2. One refresh runs at a time; changes announced during or shortly after it cause one more.
 * 3. A failed list is retried after a pause while the server is open.
 */
export class FleetServer implements RunnerListener {
  #options: FleetServerOptions;
  readonly runner: ServerRunner;
  readonly results: ResultCache;
  readonly #listener: FleetServerListener;
  #listing: Listing | undefined;
  #listingFailure: string | undefined;
  #retries = 0;
  #cancelRetry = (): void => {};
  #firstWait: Promise<void> | undefined;
  #learning: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #isPausing = false;
  #isStale = false;
  #isClosed = false;
  /** Undefined for built-in servers, whose tools change with the program. */
  readonly #pins: ServerPins | undefined;

  constructor(
    options: FleetServerOptions,
    listener: FleetServerListener,
    createRunner: (listener: RunnerListener) => ServerRunner,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.results = new ResultCache(() => options.timers.now());
    const { cache, cacheKey, name, log } = options;
    const now = (): string => new Date(options.timers.now()).toISOString();
    const isOurs = options.source === 'built-in';
    this.#pins = isOurs ? undefined : new ServerPins({ name, cache, cacheKey, log, now });
    this.#listing =
      options.known ?? (cacheKey === undefined ? undefined : cache.read(name, cacheKey));
    this.runner = createRunner(this);
  }

  get options(): FleetServerOptions {
    return this.#options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Changes how the server is offered; the process is not affected. */
  offer(terms: OfferTerms): void {
    this.#options = { ...this.#options, ...terms };
  }

  /** The latest listing, of this or an earlier process; undefined while there is none. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Why there is no listing; undefined when there is one. */
  get listingFailure(): string | undefined {
    return this.#listing ? undefined : this.#listingFailure;
  }

  /** Changed tools that were not accepted yet. */
  get changedTools(): readonly ToolChange[] {
    return this.#pins?.changes(this.#listing, this.#isHolding) ?? [];
  }

  diffTools(): readonly ToolDiff[] {
    return this.#listing ? (this.#pins?.diffs(this.#listing, this.#isHolding) ?? []) : [];
  }

  /** What is suspicious about its tools by themselves; found once per listing. */
  get flags(): readonly ToolFlag[] {
    return this.#listing && this.#pins ? inspectListing(this.#listing).flags : [];
  }

  /** Its tools, and for a configured server without characters that hide text. */
  get shownTools(): readonly Tool[] {
    if (!this.#listing || !this.#pins) return this.#listing?.tools ?? [];
    return inspectListing(this.#listing).tools;
  }

  /** Whether the tool waits for the user's acceptance. */
  isHeld(tool: string): boolean {
    return this.#isHolding && this.#pins?.isHeld(tool, this.#listing) === true;
  }

  /** A tool with its accepted annotations, where newer ones ask for less care. */
  asAccepted(tool: Tool): Tool {
    return this.#pins?.asAccepted(tool, this.#listing) ?? tool;
  }

  /** What it says to the client's model; changed instructions only once they are accepted. */
  get instructions(): string | undefined {
    if (!this.#listing || !this.#pins) return this.#listing?.instructions;
    const text = this.#pins.instructions(this.#listing, this.#isHolding);
    return text === undefined ? undefined : visibleText(text);
  }

  /** Accepts changed tools on behalf of the user, all by default. */
  acceptTools(names?: readonly string[]): readonly ToolChange[] {
    const accepted = this.#pins?.accept(this.#listing, names) ?? [];
    if (accepted.length > 0) this.#listener.onListed();
    return accepted;
  }

  /** Takes over what another process accepted. */
  rereadTools(): void {
    if (this.#pins?.reread() === true) this.#listener.onListed();
  }

  get #isHolding(): boolean {
    return this.#options.isHolding === true;
  }

  /** Why the latest attempt to list failed; undefined when it succeeded. */
  get latestFailure(): string | undefined {
    return this.#listingFailure;
  }

  /** Waits until there is a listing: a limited time, and for an external server only once. */
  untilListed(): Promise<void> | undefined {
    if (this.#listing) {
      if (this.#hasExpired()) this.#isStale = true;
      this.#refreshIfStale();
      return undefined;
    }
    // A server that failed before is retried in the background.
    const learning = this.#learnInBackground();
    if (this.runner.transport === 'in-process') return this.#inTime(learning);
    this.#firstWait ??= this.#inTime(learning);
    return this.#firstWait;
  }

  /**
   * Starts the server and waits for its listing. Throws `fleet.server_unavailable`, `fleet.listing_failed`,
   * or the signal's reason.
   */
  async learn(context: CallContext): Promise<void> {
    await this.runner.start(context.signal, context);
    await this.#untilRefreshed();
  }

  /** The same in the background: concurrent starts are limited. */
  async learnThrottled(signal: AbortSignal): Promise<void> {
    await this.startThrottled(signal);
    await this.#untilRefreshed();
  }

  async startThrottled(signal: AbortSignal): Promise<void> {
    const { startLimiter } = this.#options;
    const start = (): Promise<void> => this.runner.start(signal);
    await (startLimiter && !this.runner.opened ? startLimiter.run(start, signal) : start());
  }

  async #untilRefreshed(): Promise<void> {
    await this.#refreshing;
    const { opened } = this.runner;
    // It was open already, and its refresh failed: retry.
    if (!this.#listing && opened) await this.#refreshNow(opened);
    if (!this.#listing) throw new ListingFailedError(this.name, this.#listingFailure ?? 'it ended');
  }

  onOpened(server: OpenedServer): void {
    this.results.clear();
    if (this.#refreshing) this.#isStale = true;
    else void this.#refreshNow(server);
  }

  onChange(change: ServerChange): void {
    if (change.kind !== 'log') this.results.clear();
    if (change.kind === 'resource' || change.kind === 'log') {
      this.#listener.onChange(change, this);
      return;
    }
    this.#isStale = true;
    this.#refreshIfStale();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    await this.runner.close();
  }

  /** Whether the `ttlMs` of a list has passed. */
  #hasExpired(): boolean {
    const now = this.#options.timers.now();
    const { opened } = this.runner;
    return limitedLists.some((list) => (opened?.listingFreshUntil?.(list) ?? now) < now);
  }

  #learnInBackground(): Promise<void> {
    this.#learning ??= this.learnThrottled(new AbortController().signal)
      .catch((error: unknown) => {
        if (!(error instanceof ListingFailedError)) this.#noteFailure(error);
      })
      .finally(() => {
        this.#learning = undefined;
      });
    return this.#learning;
  }

  /** A slower server is left out and added when its listing arrives. */
  async #inTime(learning: Promise<void>): Promise<void> {
    const { signal } = new AbortController();
    const limit = {
      what: `Listing server "${this.name}"`,
      limitMs: this.#options.firstWaitMs,
      signal,
    };
    await withTimeLimit(limit, () => learning).catch(() => {});
  }

  #refreshIfStale(): void {
    if (!this.#isStale || this.#refreshing || this.#isPausing || this.#isClosed) return;
    const { opened } = this.runner;
    if (opened) void this.#refreshNow(opened);
  }

  #refreshNow(server: OpenedServer): Promise<void> {
    if (this.#refreshing) return this.#refreshing;
    this.#isStale = false;
    this.#refreshing = this.#refresh(server).finally(() => {
      this.#refreshing = undefined;
      this.#isPausing = true;
      this.#options.timers.after(refreshPauseMs, () => {
        this.#isPausing = false;
        this.#refreshIfStale();
      });
    });
    return this.#refreshing;
  }

  async #refresh(server: OpenedServer): Promise<void> {
    const { signal } = new AbortController();
    const limit = { what: `Listing server "${this.name}"`, limitMs: refreshLimitMs, signal };
    const failed: { readonly error: unknown }[] = [];
    try {
      const taken = await withTimeLimit(limit, () => this.#take(server, failed));
      this.#keep(taken, server.protocolVersion);
    } catch (error) {
      failed.push({ error });
    }
    const [first] = failed;
    if (first) this.#noteFailure(first.error);
    this.#retryAfter(failed.length > 0);
  }

  #take(server: McpServer, failed: { readonly error: unknown }[]): Promise<Listing> {
    const { log } = this.#options;
    return takeListing(server, this.#listing, (kind, error) => {
      failed.push({ error });
      log.warn('listing failed', { kind, error });
    });
  }

  #retryAfter(hasFailed: boolean): void {
    this.#cancelRetry();
    const pauseMs = Math.min(firstRetryMs * 2 ** this.#retries, maxRetryMs);
    this.#retries = hasFailed ? this.#retries + 1 : 0;
    if (!hasFailed || this.#isClosed) return;
    this.#cancelRetry = this.#options.timers.after(pauseMs, () => {
      this.#isStale = true;
      this.#refreshIfStale();
    });
  }

  #keep(taken: Listing, protocolVersion: string | undefined): void {
    if (this.#isClosed) return;
    const listing = { ...taken, ...(protocolVersion !== undefined && { protocolVersion }) };
    const { cache, cacheKey, name } = this.#options;
    this.#listingFailure = undefined;
    const isOther = JSON.stringify(this.#listing) !== JSON.stringify(listing);
    // Another process may have updated the records, or the user accepted a change there.
    const hasChanged = this.#pins?.reread() === true;
    if (isOther) this.#pins?.compare(listing, this.#listing);
    else if (hasChanged) this.#listener.onListed();
    if (!isOther) return;
    this.#listing = listing;
    if (cacheKey !== undefined) cache.write(name, cacheKey, listing);
    this.#listener.onListed();
  }

  #noteFailure(error: unknown): void {
    const { message } = reportError(error);
    const isNew = message !== this.#listingFailure;
    this.#listingFailure = message;
    if (isNew && !this.#isClosed && !this.#listing) {
      this.#options.log.error('server not listed', { error });
    }
  }
}
