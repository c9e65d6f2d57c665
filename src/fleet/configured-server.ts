import type { FleetEntries, FleetEntry } from '../contract/fleet/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { Semaphore, type Log, type Timers } from '../kernel/index.ts';
import type { RunnerListener } from './server-runner.ts';
import type { ListingCache } from './catalogue/listing-cache.ts';
import type { Listing } from './catalogue/listing.ts';
import {
  FleetServer,
  type FleetServerListener,
  type OfferTerms,
} from './catalogue/fleet-server.ts';
import { LoginFailedError, type LoginRequiredError } from './login/errors.ts';
import type { Logins, LoginsOptions } from './login/logins.ts';
import type { LoginTarget } from './login/token-keeper.ts';
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
  /** Logins to remote servers; without it servers that want one cannot be used. */
  readonly logins?: (() => Promise<Logins>) | undefined;
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
  /** Where the entry does not say it. */
  readonly onToolChange: 'quarantine' | 'warn';
  readonly firstWaitMs: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
}

/** Running and queued calls per configured server; the limit affects no other server. */
const callsPerServer = { maxConcurrent: 1_024, maxWaiting: 8_192 };

/** The settings of an entry that affect only how the server is offered, not its process. */
export function offerTermsOf(
  { settings }: FleetEntry,
  usual: Pick<ConfiguredServerParts, 'onToolChange'>,
): OfferTerms {
  const { prefix, timeoutMs, tools, trustAnnotations: isTrusted, maxProcesses } = settings;
  const { include, exclude } = tools;
  // With several processes, clients have processes with a state of their own.
  const results = maxProcesses === 1 ? settings.cache : undefined;
  const isHolding = (settings.onToolChange ?? usual.onToolChange) === 'quarantine';
  return { prefix, timeoutMs, isTrusted, isHolding, results, include, exclude };
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
    ...offerTermsOf(entry, parts),
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
      logIn: logInOf(entry, outside),
      connect: (signal, caller) =>
        outside.connect({
          entry,
          caller,
          signal,
          knownProtocolVersion: server.listing?.protocolVersion,
          onStderr: (line) => serverLog.add(line),
        }),
    });
  const server: FleetServer = new FleetServer(options, listener, supervise);
  return server;
}

/** Imported here, so that the OAuth library is loaded only where there are remote servers. */
export async function openLogins(options: LoginsOptions): Promise<Logins> {
  const { Logins: OpenedLogins } = await import('./login/logins.ts');
  return new OpenedLogins(options);
}

/** Whether callers log in to the server: not where the entry itself has the credentials. */
export function hasLogins({ settings }: FleetEntry): boolean {
  const names = Object.keys(settings.headers).map((name) => name.toLowerCase());
  return settings.command === undefined && !names.includes('authorization');
}

/** What a login needs to know of a server. Throws `fleet.login_failed` for one without logins. */
export async function loginTargetOf(
  entry: FleetEntry,
  { entries }: Pick<Outside, 'entries'>,
): Promise<LoginTarget> {
  const { name } = entry;
  const launch = hasLogins(entry) ? await entries.launch(entry) : undefined;
  if (launch && launch.transport !== 'stdio') {
    return { server: name, url: launch.url, login: launch.login };
  }
  const reason =
    entry.settings.command === undefined
      ? 'its entry sets the header Authorization, which is used instead'
      : 'it is a program on this machine';
  throw new LoginFailedError(name, reason);
}

function logInOf(entry: FleetEntry, outside: Outside) {
  const { logins } = outside;
  if (!logins || !hasLogins(entry)) return undefined;
  return async (context: CallContext, required: LoginRequiredError): Promise<void> =>
    (await logins()).obtain(context, await loginTargetOf(entry, outside), required);
}
