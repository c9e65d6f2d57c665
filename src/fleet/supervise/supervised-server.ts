import type { ServerState, ServerTransport } from '../../contract/fleet/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError, TimeLimitError, type Log, type Timers } from '../../kernel/index.ts';
import type { ServerRunner, RunnerListener, RunnerStatus, ServerCall } from '../server-runner.ts';
import { isFailedResult } from '../in-process-server.ts';
import { UnreachableError } from '../errors.ts';
import { CallStatistics, type CallSummary } from './call-statistics.ts';
import type { Connect, Connection } from './connection.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { ConnectionWatches } from './connection-watches.ts';
import type { ServerLog } from './server-log.ts';
import type { SupervisionPolicy } from './supervision-policy.ts';

export interface SupervisedServerOptions {
  readonly name: string;
  readonly transport: ServerTransport;
  readonly policy: SupervisionPolicy;
  readonly connect: Connect;
  readonly serverLog: ServerLog;
  readonly memoryBytes: (pid: number) => Promise<number | null>;
  readonly listener: RunnerListener;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * An external server, started and restarted as needed.
 *
 * 1. A client keeps its connection; each gets its own while there are fewer than `maxProcesses`. Idle
 *    connections other than the first are stopped and reassigned to the next client.
 * 2. A call is resent at most once, and only when it cannot have run or is safe to run twice.
 */
export class SupervisedServer implements ServerRunner {
  readonly transport: ServerTransport;
  readonly entersSpans: boolean;
  readonly #options: SupervisedServerOptions;
  readonly #first: ConnectionKeeper;
  readonly #keepers: ConnectionKeeper[];
  /** The connection of each client, least recently used first. */
  readonly #byClient = new Map<string, ConnectionKeeper>();
  /** The most recently used key of `#byClient`. */
  #latestClient: string | undefined;
  readonly #statistics = new CallStatistics();
  readonly #watches: ConnectionWatches;
  #logLevel: string | undefined;

  constructor(options: SupervisedServerOptions) {
    this.transport = options.transport;
    // HTTP exchanges may log, and cost far more than entering a span.
    this.entersSpans = options.transport === 'stdio';
    this.#options = options;
    this.#first = this.#addKeeper(options.policy);
    this.#keepers = [this.#first];
    this.#watches = new ConnectionWatches(this.#first, options.log);
  }

  async run<Result>(call: ServerCall<Result>): Promise<Result> {
    const keeper = this.#keeperOf(call.context);
    const startedAt = performance.now();
    let hasFailed = true;
    keeper.hold();
    try {
      const { connection } = keeper;
      const used =
        connection?.isOpen === true
          ? connection
          : await inSpanOf(call, () => keeper.acquire(call.context.signal));
      let result: Result;
      try {
        result = await call.work(used);
      } catch (error) {
        result = await inSpanOf(call, () => this.#repeat(error, keeper, call));
      }
      keeper.noteHealthy();
      hasFailed = isFailedResult(result);
      return result;
    } catch (error) {
      const { reason } = call.context.signal;
      if (reason instanceof TimeLimitError) {
        const sinceMs = this.#options.timers.now() - (performance.now() - startedAt);
        void inSpanOf(call, () => keeper.suspect(sinceMs));
      }
      throw error;
    } finally {
      keeper.release();
      this.#statistics.add(performance.now() - startedAt, hasFailed);
    }
  }

  get opened(): Connection | undefined {
    const open = this.#keepers.find(({ connection }) => connection?.isOpen === true);
    return open?.connection;
  }

  watchResource(uri: string, signal: AbortSignal): Promise<() => void> {
    return this.#watches.add(uri, signal);
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    for (const { connection } of this.#keepers) connection?.setLogLevel?.(level);
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#first.acquire(signal);
  }

  async restart(signal: AbortSignal): Promise<void> {
    const running = this.#keepers.filter((it) => it === this.#first || it.connection);
    await Promise.all(running.map((keeper) => keeper.restart(signal)));
  }

  async status(): Promise<RunnerStatus> {
    const { memoryBytes } = this.#options;
    const summary = await summarizeKeepers(this.#keepers, memoryBytes);
    return { ...summary, ...this.#statistics.summary() };
  }

  logs(maxLines: number): Promise<readonly string[]> {
    return this.#options.serverLog.tail(maxLines);
  }

  async close(): Promise<void> {
    await Promise.all(this.#keepers.map((keeper) => keeper.close()));
    await this.#options.serverLog.flush();
  }

  /** Retries where the failure of the first attempt permits it; otherwise throws `error`. */
  async #repeat<Result>(
    error: unknown,
    keeper: ConnectionKeeper,
    { context, isRepeatable, work }: ServerCall<Result>,
  ): Promise<Result> {
    const { signal } = context;
    if (signal.aborted || !mayRepeat(error, isRepeatable)) throw error;
    // An unreachable url is the only sign that a remote server is gone: ping it, and reconnect.
    if (error instanceof UnreachableError) await keeper.suspect(this.#options.timers.now());
    return work(await keeper.acquire(signal));
  }

  #keeperOf({ client, caller }: CallContext): ConnectionKeeper {
    const { maxProcesses } = this.#options.policy;
    if (maxProcesses === 1 || client === undefined) return this.#first;
    // In the stateless era every request is a client of its own; only the caller is stable.
    const clientKey = client.era === 'stateless' ? `caller ${caller.id}` : client.id;
    const known = this.#byClient.get(clientKey);
    if (known && clientKey === this.#latestClient) return known;
    this.#latestClient = clientKey;
    // Moves the client to the end: it is the most recently used.
    if (known) this.#byClient.delete(clientKey);
    const keeper = known ?? this.#freeKeeper() ?? this.#leastUsedKeeper();
    this.#byClient.set(clientKey, keeper);
    if (this.#byClient.size > maxRememberedClients) this.#forgetOldestClient();
    return keeper;
  }

  /** A connection without a client, or one that was stopped as idle. */
  #freeKeeper(): ConnectionKeeper | undefined {
    const taken = new Set(this.#byClient.values());
    const isFree = (it: ConnectionKeeper): boolean => it.state === 'idle' && it.users === 0;
    const free = this.#keepers.find((keeper) => !taken.has(keeper) || isFree(keeper));
    if (free) {
      for (const [clientKey, keeper] of this.#byClient)
        if (keeper === free) this.#byClient.delete(clientKey);
      return free;
    }
    if (this.#keepers.length >= this.#options.policy.maxProcesses) return undefined;
    const { policy } = this.#options;
    const idleStopMs = policy.idleStopMs || spareIdleStopMs;
    const added = this.#addKeeper({ ...policy, isLazy: true, idleStopMs });
    this.#keepers.push(added);
    return added;
  }

  #leastUsedKeeper(): ConnectionKeeper {
    return this.#keepers.reduce((least, keeper) => (keeper.users < least.users ? keeper : least));
  }

  #forgetOldestClient(): void {
    const [oldest] = this.#byClient.keys();
    if (oldest !== undefined) this.#byClient.delete(oldest);
  }

  #addKeeper(policy: SupervisionPolicy): ConnectionKeeper {
    const { name, connect, timers, random, log, transport } = this.#options;
    return new ConnectionKeeper({
      name,
      policy,
      connect,
      timers,
      random,
      log,
      stateWhenRefusing: transport === 'stdio' ? 'crash-looping' : 'failed',
      onConnected: (connection) => this.#connected(connection),
    });
  }

  #connected(connection: Connection): void {
    const { listener } = this.#options;
    if (this.#logLevel !== undefined) connection.setLogLevel?.(this.#logLevel);
    connection.onChange((change) => listener.onChange(change));
    // Resources are watched on the first connection only, so that each change is announced once.
    if (connection === this.#first.connection) this.#watches.renew(connection);
    listener.onOpened(connection);
  }
}

/**
 * Enters the span for everything but the exchange over an open pipe, which neither logs nor traces. Code that
 * adds logging or tracing to that exchange must enter the span, too.
 */
function inSpanOf<Result>({ inSpan }: ServerCall<unknown>, work: () => Result): Result {
  return inSpan ? inSpan(work) : work();
}

/** Size limit of `#byClient`. */
const maxRememberedClients = 1_000;
/** Clients leave without notice, so additional connections are stopped after this long even without `idleStopMs`. */
const spareIdleStopMs = 30 * 60_000;

const codesOfUnsentCalls = new Set([
  'fleet.server_unavailable',
  'fleet.session_expired',
  'fleet.unreachable',
]);

function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof AppError)) return false;
  if (codesOfUnsentCalls.has(error.code)) return true;
  return error.code === 'fleet.outcome_unknown' && (isRepeatable || error.retryable);
}

/** Of several connections, the best state is the server's state. */
const bestFirst: readonly ServerState[] = [
  'ready',
  'starting',
  'restarting',
  'crash-looping',
  'failed',
  'idle',
];

async function summarizeKeepers(
  keepers: readonly ConnectionKeeper[],
  memoryBytes: (pid: number) => Promise<number | null>,
): Promise<Omit<RunnerStatus, keyof CallSummary>> {
  const best = keepers.toSorted((a, b) => bestFirst.indexOf(a.state) - bestFirst.indexOf(b.state));
  const connections = keepers.flatMap(({ connection }) => connection ?? []);
  const pids = connections.flatMap(({ pid }) => pid ?? []);
  const memories = await Promise.all(pids.map((pid) => memoryBytes(pid).catch(() => null)));
  const known = memories.filter((bytes) => bytes !== null);
  const [connection] = connections;
  return {
    state: best[0]?.state ?? 'idle',
    since: best[0]?.since ?? 0,
    pid: pids[0] ?? null,
    restarts: keepers.reduce((sum, { restarts }) => sum + restarts, 0),
    lastError: keepers.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    memoryBytes: known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0),
    protocolVersion: connection?.protocolVersion ?? null,
    version: connection?.version ?? null,
    problems: [...new Set(keepers.flatMap((keeper) => keeper.problems))],
  };
}
