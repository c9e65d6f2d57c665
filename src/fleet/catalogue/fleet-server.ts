import type { ServerStatus, ToolChange } from '../../contract/fleet/index.ts';
import type { McpServer, ServerChange } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import {
  reportError,
  withTimeLimit,
  type Gate,
  type Log,
  type Timers,
} from '../../kernel/index.ts';
import { ListingFailedError } from '../errors.ts';
import type { OpenedServer, RunnerListener, ServerRunner } from '../server-runner.ts';
import type { StartLimiter } from '../supervise/start-limiter.ts';
import { takeListing, type Listing } from './listing.ts';
import type { ListingCache } from './listing-cache.ts';
import {
  acceptTools,
  carefulOf,
  changesOf,
  rememberTools,
  type ToolRecords,
} from './tool-records.ts';

/** What can be changed about a server without touching it. */
export interface OfferTerms {
  /** What stands in front of its tools, when not its name. */
  readonly prefix?: string | undefined;
  /** Names of its tools that are offered, as globs; all when not given. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** How long its calls may take without progress, when not as long as those of others. */
  readonly timeoutMs?: number | undefined;
  /** What it says about its tools counts, too, where it means less care. */
  readonly isTrusted?: boolean | undefined;
}

export interface FleetServerOptions extends OfferTerms {
  readonly name: string;
  readonly source: ServerStatus['source'];
  /** When it starts by itself; at once when not given. */
  readonly startLimiter?: StartLimiter | undefined;
  /** What is known of its offer already; else what is kept counts. */
  readonly known?: Listing | undefined;
  /** Its own places for calls, so that a server that hangs takes none from others. */
  readonly semaphore?: Gate | undefined;
  /** Tells apart what it offered under other settings or in another version; undefined: never kept. */
  readonly cacheKey?: string | undefined;
  readonly cache: ListingCache;
  /** How long the first listing waits for a server nobody has seen before. */
  readonly firstWaitMs: number;
  readonly timers: Timers;
  readonly log: Log;
}

export interface FleetServerListener {
  /** What it offers is not what it was. */
  onListed(): void;
  /** Of this member: resources go by the addresses it uses itself. */
  onChange(change: ServerChange, server: FleetServer): void;
}

/** One refresh, all lists together. Each list has limits of its own below. */
const refreshLimitMs = 60_000;
/** Changes announced in this time after a refresh are seen by one more, however many they are. */
const refreshPauseMs = 200;
/** Pauses before a list that failed is asked for again: the first, doubling up to the longest. */
const firstRetryMs = 1_000;
const maxRetryMs = 5 * 60_000;

const limitedLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

/**
 * A server of the fleet and what is known of its offer.
 *
 * 1. The listing is replaced by a newer one and never emptied by a failure.
 * 2. One refresh runs at a time; what is announced meanwhile, or shortly after, is seen by one more.
 * 3. A list that failed is asked for again after a pause, as long as the server is open.
 */
export class FleetServer implements RunnerListener {
  #options: FleetServerOptions;
  readonly runner: ServerRunner;
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
  #records: ToolRecords | undefined;

  constructor(
    options: FleetServerOptions,
    listener: FleetServerListener,
    createRunner: (listener: RunnerListener) => ServerRunner,
  ) {
    this.#options = options;
    this.#listener = listener;
    const { cache, cacheKey, name } = options;
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

  /** From now on offered in another way; the server itself goes on as it is. */
  offer(terms: OfferTerms): void {
    this.#options = { ...this.#options, ...terms };
  }

  /** The latest listing, of this or an earlier process; undefined while nothing is known. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Why nothing is known; undefined when something is. */
  get listingFailure(): string | undefined {
    return this.#listing ? undefined : this.#listingFailure;
  }

  /** Tools that are not what they were, as its status tells. */
  get changedTools(): readonly ToolChange[] {
    return this.#isOurs ? [] : changesOf(this.#knownRecords());
  }

  /** A tool as it was accepted: where it asks for less care since, what it said before counts. */
  asAccepted(tool: Tool): Tool {
    const records = this.#isOurs ? {} : this.#knownRecords();
    const record = Object.hasOwn(records, tool.name) ? records[tool.name] : undefined;
    if (record?.change?.isLessCareful !== true) return tool;
    return { ...tool, annotations: carefulOf(tool.annotations ?? {}, record.accepted) };
  }

  /** The user accepts what became of its tools. */
  acceptTools(): readonly ToolChange[] {
    const changes = this.changedTools;
    if (changes.length === 0) return [];
    this.#keepRecords(acceptTools(this.#knownRecords()));
    this.#listener.onListed();
    return changes;
  }

  /** Why the latest attempt to list failed, whatever is known from before; undefined when it did not. */
  get latestFailure(): string | undefined {
    return this.#listingFailure;
  }

  /** Waits until the offer is known: a limited time, and for a server outside this process only once. */
  untilListed(): Promise<void> | undefined {
    if (this.#listing) {
      if (this.#hasExpired()) this.#isStale = true;
      this.#refreshIfStale();
      return undefined;
    }
    // Who failed before may do better now; nobody waits for that.
    const learning = this.#learnInBackground();
    if (this.runner.transport === 'in-process') return this.#inTime(learning);
    this.#firstWait ??= this.#inTime(learning);
    return this.#firstWait;
  }

  /**
   * Starts the server and waits until its offer is known. Throws `fleet.server_unavailable`, `fleet.listing_failed`,
   * or the signal's reason.
   */
  async learn(signal: AbortSignal): Promise<void> {
    await this.runner.start(signal);
    await this.#untilRefreshed();
  }

  /** The same for who is not in a hurry: servers that start by the hundred do so one after the other. */
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
    // Opened before, and its refresh failed: asked again.
    if (!this.#listing && opened) await this.#refreshNow(opened);
    if (!this.#listing) throw new ListingFailedError(this.name, this.#listingFailure ?? 'it ended');
  }

  onOpened(server: OpenedServer): void {
    if (this.#refreshing) this.#isStale = true;
    else void this.#refreshNow(server);
  }

  onChange(change: ServerChange): void {
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

  /** The server itself said how long its lists hold. */
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

  /** Who takes longer is left out, and listed when it is known. */
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
    // Another process may have compared it, or the user accepted it there.
    const hasChanged = this.#rereadRecords();
    if (isOther) this.#compareTools(listing.tools);
    else if (hasChanged) this.#listener.onListed();
    if (!isOther) return;
    this.#listing = listing;
    if (cacheKey !== undefined) cache.write(name, cacheKey, listing);
    this.#listener.onListed();
  }

  /** What is ours changes with the program. */
  get #isOurs(): boolean {
    return this.#options.source === 'built-in';
  }

  /** What was known of its tools; from its listing where it was kept without. */
  #knownRecords(): ToolRecords {
    this.#records ??=
      this.#keptRecords() ?? rememberTools({}, this.#listing?.tools ?? [], this.#now()).records;
    return this.#records;
  }

  #keptRecords(): ToolRecords | undefined {
    const { cache, cacheKey, name } = this.#options;
    return cacheKey === undefined ? undefined : cache.readTools(name, cacheKey);
  }

  /** Whether they are others than before. */
  #rereadRecords(): boolean {
    const before = this.#records;
    if (before === undefined || this.#isOurs) return false;
    this.#records = this.#keptRecords() ?? before;
    return JSON.stringify(before) !== JSON.stringify(this.#records);
  }

  #compareTools(tools: readonly Tool[]): void {
    if (this.#isOurs) return;
    const { records, changes } = rememberTools(this.#knownRecords(), tools, this.#now());
    this.#keepRecords(records);
    for (const { tool, fields, isLessCareful } of changes) {
      this.#options.log.warn('tool definition changed', { tool, fields, isLessCareful });
    }
  }

  #keepRecords(records: ToolRecords): void {
    const { cache, cacheKey, name } = this.#options;
    this.#records = records;
    if (cacheKey !== undefined) cache.writeTools(name, cacheKey, records);
  }

  #now(): string {
    return new Date(this.#options.timers.now()).toISOString();
  }

  #noteFailure(error: unknown): void {
    const { message } = reportError(error);
    const isNew = message !== this.#listingFailure;
    this.#listingFailure = message;
    if (isNew && !this.#isClosed && !this.#listing) {
      this.#options.log.error('A server could not be listed and is left out', { error });
    }
  }
}
