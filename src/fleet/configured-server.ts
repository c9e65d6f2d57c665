import type { FleetEntries, FleetEntry } from '../contract/fleet/index.ts';
import { Semaphore, type Log, type Timers } from '../kernel/index.ts';
import type { RunnerListener } from './server-runner.ts';
import type { ListingCache } from './catalogue/listing-cache.ts';
import type { Listing } from './catalogue/listing.ts';
import {
  FleetServer,
  type FleetServerListener,
  type OfferTerms,
} from './catalogue/fleet-server.ts';
import { transportOf } from './status.ts';
import type { Connection, ConnectRequest } from './supervise/connection.ts';
import { ServerLog } from './supervise/server-log.ts';
import type { StartLimiter } from './supervise/start-limiter.ts';
import { SupervisedServer } from './supervise/supervised-server.ts';
import { policyOf } from './supervise/supervision-policy.ts';

/** Port to everything outside this process. */
export interface Outside {
  readonly entries: FleetEntries;
  connect(request: ConnectRequest): Promise<Connection>;
  /** Memory of a process and its descendants; null where it cannot be read. */
  memoryBytes(pid: number): Promise<number | null>;
  /** Path of the file for a server's standard error. */
  logFile(server: string): string;
  close(): Promise<void>;
}

export interface ConfiguredServerParts {
  readonly outside: Outside;
  readonly cache: ListingCache;
  readonly listener: FleetServerListener;
  readonly startLimiter: StartLimiter;
  /** Its listing, where it is known already. */
  readonly known?: Listing | undefined;
  readonly firstWaitMs: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
}

/** Running and queued calls per configured server; the limit affects no other server. */
const callsPerServer = { maxConcurrent: 1_024, maxWaiting: 8_192 };

/** The settings of an entry that affect only how the server is offered, not its process. */
export function offerTermsOf({ settings }: FleetEntry): OfferTerms {
  const { prefix, timeoutMs, tools, trustAnnotations: isTrusted, maxProcesses } = settings;
  // With several processes, clients have processes with a state of their own.
  const results = maxProcesses === 1 ? settings.cache : undefined;
  return { prefix, timeoutMs, isTrusted, results, include: tools.include, exclude: tools.exclude };
}

/** A configured server, supervised, under its name in the fleet. */
export function createConfiguredServer(
  name: string,
  entry: FleetEntry,
  parts: ConfiguredServerParts,
): FleetServer {
  const { settings } = entry;
  const { outside, cache, listener, firstWaitMs, timers, log } = parts;
  const options = {
    name,
    ...offerTermsOf(entry),
    source: entry.source,
    known: parts.known,
    startLimiter: parts.startLimiter,
    semaphore: new Semaphore(callsPerServer),
    cacheKey: entry.launchFingerprint,
    cache,
    firstWaitMs,
    timers,
    log: log.child({ server: name }),
  };
  const serverLog = new ServerLog(outside.logFile(name));
  const supervise = (runnerListener: RunnerListener): SupervisedServer =>
    new SupervisedServer({
      name,
      transport: transportOf(entry),
      policy: policyOf(settings),
      serverLog,
      memoryBytes: (pid) => outside.memoryBytes(pid),
      listener: runnerListener,
      timers,
      random: parts.random,
      log: options.log,
      connect: (signal) =>
        outside.connect({
          entry,
          signal,
          knownProtocolVersion: server.listing?.protocolVersion,
          onStderr: (line) => serverLog.add(line),
        }),
    });
  const server: FleetServer = new FleetServer(options, listener, supervise);
  return server;
}
