import type { FleetEntries, FleetEntry } from '../contract/fleet/index.ts';
import { Gate, type Log, type Timers } from '../kernel/index.ts';
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

/** The world outside this process, as the fleet needs it. */
export interface Outside {
  readonly entries: FleetEntries;
  connect(request: ConnectRequest): Promise<Connection>;
  /** Of a process and all below it; null where it cannot be known. */
  memoryBytes(pid: number): Promise<number | null>;
  /** Where a server's standard error is kept. */
  logFile(server: string): string;
  close(): Promise<void>;
}

export interface ConfiguredServerParts {
  readonly outside: Outside;
  readonly cache: ListingCache;
  readonly listener: FleetServerListener;
  readonly startLimiter: StartLimiter;
  /** What is known of its offer already. */
  readonly known?: Listing | undefined;
  readonly firstWaitMs: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
}

/** Calls that one server outside works on or lets wait; beyond that it is too busy, and only it. */
const callsPerServer = { maxConcurrent: 1_024, maxWaiting: 8_192 };

/** What an entry says about a server that concerns only how it is offered. */
export function offerTermsOf({ settings }: FleetEntry): OfferTerms {
  const { prefix, timeoutMs, tools, trustAnnotations: isTrusted } = settings;
  return { prefix, timeoutMs, isTrusted, include: tools.include, exclude: tools.exclude };
}

/** A configured server as a member of the fleet, under a name of its own. */
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
    semaphore: new Gate(callsPerServer),
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
