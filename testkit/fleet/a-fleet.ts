import type { FleetEntries, FleetEntry } from '../../src/contract/fleet/index.ts';
import type { McpServer } from '../../src/contract/server/index.ts';
import { mcpServerSettings, type McpServerEntry } from '../../src/contract/settings/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { CallExecutor, type ExecutorLimits } from '../../src/fleet/call-executor.ts';
import type { CallTracer } from '../../src/fleet/call-tracer.ts';
import type { ListingCache } from '../../src/fleet/catalogue/listing-cache.ts';
import {
  createFleet,
  type FleetOptions,
  type OpenFleet,
  type ServerEntry,
} from '../../src/fleet/create-fleet.ts';
import type { Outside } from '../../src/fleet/configured-server.ts';
import type { Connection, ConnectRequest } from '../../src/fleet/supervise/connection.ts';

export interface AFleetOptions extends Partial<Omit<FleetOptions, 'lane'>> {
  readonly tracer?: CallTracer;
  readonly limits?: Partial<ExecutorLimits>;
}

/** A fleet with small limits and no log, unless a test wants others. */
export function aFleet({ tracer, limits, ...options }: AFleetOptions): OpenFleet {
  const log = options.log ?? silentLog;
  const executorLimits = { maxConcurrent: 2, maxWaiting: 2, timeoutMs: 10_000, ...limits };
  return createFleet({
    title: 'Tutti',
    version: '1',
    servers: [],
    enabledTools: [],
    firstWaitMs: 2_000,
    ...options,
    executor: new CallExecutor(executorLimits, tracer, log),
    log,
  });
}

export function ours(server: McpServer): ServerEntry {
  return { name: server.name, open: async () => server };
}

/** A configured server; `settings` as a user writes them, without secrets. */
export function anEntry(
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
  parts: Partial<FleetEntry> = {},
): FleetEntry {
  const parsed = mcpServerSettings.parse({ command: name, retryDelayMs: 10, ...settings });
  const { type, command, args, cwd, url } = parsed;
  return {
    name,
    // Without `env` and `headers` there is no secret to seal, which is all the two types differ in.
    settings: parsed as unknown as McpServerEntry,
    source: 'user',
    state: 'enabled',
    fingerprint: JSON.stringify(parsed),
    launchFingerprint: JSON.stringify([type, command, args, cwd, url]),
    ...parts,
  };
}

export interface FakeOutside extends Outside {
  /** Replaces the entries, as an edit of the settings does. */
  edit(entries: readonly FleetEntry[]): void;
  /** Names of the servers that were connected to, in order. */
  readonly connected: readonly string[];
}

export function anOutside(
  entries: readonly FleetEntry[],
  connect: (request: ConnectRequest) => Promise<Connection>,
): FakeOutside {
  let current = entries;
  const listeners = new Set<() => void>();
  const connected: string[] = [];
  const fleetEntries: FleetEntries = {
    current: () => current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    launch: () => Promise.reject(new Error('a fake needs no launch')),
  };
  return {
    entries: fleetEntries,
    connected,
    connect: (request) => {
      connected.push(request.entry.name);
      return connect(request);
    },
    memoryBytes: async (pid) => pid * 10,
    logFile: (server) => `/nowhere/${server}.log`,
    close: async () => {},
    edit: (next) => {
      current = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Keeps listings in memory, as text, like the files do. */
export function aMemoryCache(): ListingCache & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (server, key) => {
      const text = texts.get(`${server} ${key}`);
      return text === undefined ? undefined : JSON.parse(text);
    },
    write: (server, key, listing) => void texts.set(`${server} ${key}`, JSON.stringify(listing)),
    readRecords: (server, key) => {
      const text = texts.get(`tools of ${server} ${key}`);
      return text === undefined ? undefined : JSON.parse(text);
    },
    writeRecords: (server, key, records) =>
      void texts.set(`tools of ${server} ${key}`, JSON.stringify(records)),
  };
}
