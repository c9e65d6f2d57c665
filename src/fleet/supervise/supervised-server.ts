import type { ServerState, ServerTransport } from '../../contract/fleet/index.ts';
import { localCaller, type Caller } from '../../contract/caller/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError, TimeLimitError, type Log, type Timers } from '../../kernel/index.ts';
import type { ServerRunner, RunnerListener, RunnerStatus, ServerCall } from '../server-runner.ts';
import { isFailedResult } from '../in-process-server.ts';
import { UnreachableError } from '../errors.ts';
import { LoginRequiredError } from '../login/errors.ts';
import { ServerUnavailableError } from '../upstream/errors.ts';
import { CallStatistics, type CallSummary } from './call-statistics.ts';
import type { Connection } from './connection.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { ConnectionWatches } from './connection-watches.ts';
import type { ServerLog } from './server-log.ts';
import type { SupervisionPolicy } from './supervision-policy.ts';

export interface SupervisedServerOptions {
  readonly name: string;
  readonly transport: ServerTransport;
  readonly policy: SupervisionPolicy;
  /** Rejects with an `AppError`, whose `retryable` says whether to try again soon. */
  readonly connect: (signal: AbortSignal, caller: Caller) => Promise<Connection>;
  /**
   * Logs the caller of a call in; throws `required` when that is not possible. With it, every caller has a
   * connection of its own, because requests carry the token of its caller.
   */
  readonly logIn?:
    | ((context: CallContext, required: LoginRequiredError) => Promise<void>)
    | undefined;
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
 * 3. Of a server that callers log in to, a connection is used by one caller only.
 * 4. A call that was refused for want of a login, and so was not executed, is sent again after the login.
 */
export class SupervisedServer implements ServerRunner {
  readonly transport: ServerTransport;
  readonly entersSpans: boolean;
  readonly #options: SupervisedServerOptions;
  readonly #first: ConnectionKeeper;
  readonly #keepers: ConnectionKeeper[];
  /** The connection of each client, least recently used first. */
  readonly #byClient = new Map<string, ConnectionKeeper>();
  /** The same by caller, for servers that callers log in to; the user at this machine has the first one. */
  readonly #byCaller = new Map<string, ConnectionKeeper>();
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
    this.#first = this.#addKeeper(options.policy, localCaller);
    this.#keepers = [this.#first];
    this.#watches = new ConnectionWatches(this.#first, options.log);
  }

  run<Result>(call: ServerCall<Result>): Promise<Result> {
    const { logIn } = this.#options;
    return logIn ? this.#runWithLogin(call, logIn) : this.#run(call);
  }

  async #runWithLogin<Result>(
    call: ServerCall<Result>,
    logIn: NonNullable<SupervisedServerOptions['logIn']>,
  ): Promise<Result> {
    for (let logins = 0; ; logins += 1) {
      try {
        return await this.#run(call);
      } catch (error) {
        if (!(error instanceof LoginRequiredError) || logins >= maxLoginsPerCall) throw error;
        await inSpanOf(call, () => logIn(call.context, error));
      }
    }
  }

  async #run<Result>(call: ServerCall<Result>): Promise<Result> {
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
      if (used !== connection) {
        call.context.annotate?.({ 'tutti.server.start_ms': performance.now() - startedAt });
      }
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

  async start(signal: AbortSignal, context?: CallContext): Promise<void> {
    if (context && this.#options.logIn) {
      await this.run({ isRepeatable: true, context, work: async () => undefined });
    } else await this.#first.acquire(signal);
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
    if (this.#options.logIn) return this.#keeperOfCaller(caller);
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

  #keeperOfCaller(caller: Caller): ConnectionKeeper {
    if (caller.id === localCaller.id) return this.#first;
    const known = this.#byCaller.get(caller.id);
    if (known) {
      // Moves the caller to the end: it is the most recently used.
      this.#byCaller.delete(caller.id);
      this.#byCaller.set(caller.id, known);
      return known;
    }
    if (this.#byCaller.size >= maxRememberedClients) this.#dropIdleCaller();
    const added = this.#addKeeper(this.#sparePolicy(), caller);
    this.#keepers.push(added);
    this.#byCaller.set(caller.id, added);
    return added;
  }

  /** Closes the connection that was not used for longest, and has no call. */
  #dropIdleCaller(): void {
    const idle = [...this.#byCaller].find(([, { users }]) => users === 0);
    if (!idle) throw new ServerUnavailableError(this.#options.name, 'too many callers use it');
    const [callerId, keeper] = idle;
    this.#byCaller.delete(callerId);
    this.#keepers.splice(this.#keepers.indexOf(keeper), 1);
    void keeper.close();
  }

  /** Callers and clients leave without notice, so their connections are stopped when they are idle. */
  #sparePolicy(): SupervisionPolicy {
    const { policy } = this.#options;
    return { ...policy, isLazy: true, idleStopMs: policy.idleStopMs || spareIdleStopMs };
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
    const added = this.#addKeeper(this.#sparePolicy(), localCaller);
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

  #addKeeper(policy: SupervisionPolicy, caller: Caller): ConnectionKeeper {
    const { name, connect, timers, random, log, transport } = this.#options;
    return new ConnectionKeeper({
      name,
      policy,
      connect: (signal) => connect(signal, caller),
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

/** A login, and one more consent. */
const maxLoginsPerCall = 2;
/** Size limit of `#byClient` and `#byCaller`. */
const maxRememberedClients = 1_000;
/** Additional connections are stopped after this long even without `idleStopMs`. */
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
