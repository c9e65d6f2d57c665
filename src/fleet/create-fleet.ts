import type { FleetControl } from '../contract/fleet/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { systemTimers, type Semaphore, type Log, type Timers } from '../kernel/index.ts';
import type { CallExecutor } from './call-executor.ts';
import {
  FleetCatalogue,
  type RecordCall,
  type RecordOutcome,
} from './catalogue/fleet-catalogue.ts';
import type { ListingCache } from './catalogue/listing-cache.ts';
import { FleetServer } from './catalogue/fleet-server.ts';
import { ServerRegistry } from './catalogue/server-registry.ts';
import type { Outside } from './configured-server.ts';
import { Fleet } from './fleet.ts';
import { InProcessServer } from './in-process-server.ts';
import { StartLimiter } from './supervise/start-limiter.ts';

/** An in-process server. */
export interface ServerEntry {
  readonly name: string;
  readonly open: () => Promise<McpServer>;
  /** Cache key of its listing, different per version and settings; without it the listing is not cached. */
  readonly cacheKey?: string | undefined;
  /** Slots for its calls; without it they take the shared ones. */
  readonly semaphore?: Semaphore | undefined;
  /** Time limit of its calls without progress, where it differs from the default. */
  readonly timeoutMs?: number | undefined;
  /** False: lists for MCP clients leave its tools out, unless the server or all tools are asked for. They can be called and found. */
  readonly isListed?: boolean | undefined;
}

export interface FleetOptions {
  /** How the catalogue introduces itself. */
  readonly title: string;
  readonly version: string;
  readonly servers: readonly ServerEntry[];
  /** The configured servers; without it there are none. */
  readonly outside?: Outside | undefined;
  /** Limits the configured servers to these; all by default. */
  readonly only?: readonly string[] | undefined;
  readonly executor: CallExecutor;
  /** Tools that may be seen and called, by bare or dotted name; empty means all. */
  readonly enabledTools: readonly string[];
  /** What happens to tools that a configured server changes or adds later, unless its entry says otherwise. */
  readonly onToolChange?: 'quarantine' | 'warn' | undefined;
  /** Persists listings for the next start; without it nothing is persisted. */
  readonly cache?: ListingCache | undefined;
  /** Records each call before it is sent. */
  readonly recordCall?: RecordCall | undefined;
  readonly recordOutcome?: RecordOutcome | undefined;
  readonly log: Log;
  readonly firstWaitMs?: number | undefined;
  readonly timers?: Timers | undefined;
  readonly random?: (() => number) | undefined;
}

export interface OpenFleet {
  readonly catalogue: FleetCatalogue;
  readonly control: FleetControl;
  /** Servers whose tools lists for clients leave out. */
  readonly unlistedServers: readonly string[];
  /** Call once clients are served: starts the eager servers in the background. */
  readonly serve: () => void;
}

/** How long the first listing waits for a configured server without a cached listing. */
const defaultFirstWaitMs = 3_000;
/** The same for an in-process server, which only has to be loaded. */
const ownWaitMs = 60_000;

const noCache: ListingCache = {
  read: () => undefined,
  write: () => {},
  readRecords: () => undefined,
  writeRecords: () => {},
};

/** All servers as one catalogue; the README lists the guarantees. */
export function createFleet(options: FleetOptions): OpenFleet {
  const { log, enabledTools, outside, only, cache = noCache, timers = systemTimers } = options;
  const registry = new ServerRegistry({ enabledTools, timers, log });
  const builtIns = options.servers.map(({ name, open, cacheKey, ...rest }) => {
    const { semaphore, timeoutMs } = rest;
    const isListed = rest.isListed !== false || only !== undefined;
    const serverLog = log.child({ server: name });
    const parts = { name, cacheKey, cache, timers, firstWaitMs: ownWaitMs, log: serverLog };
    return new FleetServer(
      { ...parts, isListed, semaphore, timeoutMs, source: 'built-in', isTrusted: true },
      registry,
      (listener) => new InProcessServer(open, listener, timers),
    );
  });
  const fleet = new Fleet({
    registry,
    builtIns,
    outside,
    only,
    cache,
    timers,
    log,
    onToolChange: options.onToolChange ?? 'quarantine',
    startLimiter: new StartLimiter(timers),
    firstWaitMs: options.firstWaitMs ?? defaultFirstWaitMs,
    random: options.random ?? Math.random,
  });
  const { title, version, executor, recordCall, recordOutcome } = options;
  const catalogue = new FleetCatalogue({
    title,
    version,
    registry,
    executor,
    setLogLevel: (level) => fleet.setLogLevel(level),
    close: () => fleet.close(),
    recordCall,
    recordOutcome,
    log,
  });
  const left = builtIns.filter((server) => server.options.isListed === false);
  const unlistedServers = left.map(({ name }) => name);
  return { catalogue, control: fleet, unlistedServers, serve: () => fleet.serve() };
}
