import type { ServerState } from '../../contract/fleet/index.ts';
import { AppError, reportError, withTimeLimit, type Log, type Timers } from '../../kernel/index.ts';
import { LoginRequiredError } from '../login/errors.ts';
import { ServerUnavailableError } from '../upstream/errors.ts';
import type { Connect, Connection } from './connection.ts';
import { refusalPauseMs, retryPauseMs, type SupervisionPolicy } from './supervision-policy.ts';

export interface KeeperOptions {
  readonly name: string;
  readonly policy: SupervisionPolicy;
  readonly connect: Connect;
  readonly timers: Timers;
  /** A number in [0, 1): spreads retries. */
  readonly random: () => number;
  /** State reported for a server that keeps failing with retryable errors. */
  readonly stateWhenRefusing: 'crash-looping' | 'failed';
  readonly log: Log;
  /** A new connection is open. */
  readonly onConnected: (connection: Connection) => void;
}

const maxPastProblems = 50;
/** How long the next start waits for an aborted start to be cleaned up. */
const goneLimitMs = 15_000;

type Phase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly isRetry: boolean }
  | { readonly kind: 'ready'; readonly connection: Connection }
  | { readonly kind: 'pausing' }
  | {
      readonly kind: 'refusing';
      readonly state: 'crash-looping' | 'failed';
      readonly until: number;
    }
  | { readonly kind: 'closed' };

interface Waiter {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Supervises one connection to a server.
 *
 * 1. At most one start is in progress; all waiters share it.
 * 2. A new start begins only when the previous connection or start is gone, its process included.
 * 3. After `retryAttempts` failures in a row all waiters are rejected, and so are new calls until the
 *    pause is over; then one start is attempted.
 * 4. A connection with calls or holds is never stopped as idle.
 */
export class ConnectionKeeper {
  /** The open connection, for calls that need not wait; undefined while there is none. */
  connection: Connection | undefined;
  readonly #options: KeeperOptions;
  readonly #waiters = new Set<Waiter>();
  #phase: Phase = { kind: 'idle' };
  #since: number;
  #failures = 0;
  #refusals = 0;
  #restarts = 0;
  #pastProblems: readonly string[] = [];
  #users = 0;
  #lastUsedAt = 0;
  #lastError: string | null = null;
  #cancelTimer: () => void = () => {};
  #stopping: Promise<void> = Promise.resolve();
  #starting: AbortController | undefined;
  #pinging: Promise<void> | undefined;
  /** Start of the earliest call that timed out since the server last answered a ping. */
  #suspectSince: number | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#since = options.timers.now();
  }

  get state(): ServerState {
    switch (this.#phase.kind) {
      case 'starting':
        return this.#phase.isRetry ? 'restarting' : 'starting';
      case 'pausing':
        return 'restarting';
      case 'refusing':
        return this.#phase.state;
      case 'ready':
        return 'ready';
      case 'idle':
      case 'closed':
        return 'idle';
    }
  }

  get since(): number {
    return this.#since;
  }

  /** Starts after a failure or on request; starts from idle do not count. */
  get restarts(): number {
    return this.#restarts;
  }

  get lastError(): string | null {
    return this.#lastError;
  }

  /** Misbehaviour on this connection and earlier ones. */
  get problems(): readonly string[] {
    return [...this.#pastProblems, ...(this.connection?.problems ?? [])];
  }

  /** Calls and subscriptions that use the connection. */
  get users(): number {
    return this.#users;
  }

  /** Marks the connection as in use until `release`. */
  hold(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    this.#lastUsedAt = this.#options.timers.now();
  }

  /** The server answered: resets the failure counts. */
  noteHealthy(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /** The connection, started if there is none. Throws `fleet.server_unavailable`, or the signal's reason. */
  acquire(signal: AbortSignal): Promise<Connection> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.connection?.isOpen === true) return Promise.resolve(this.connection);
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    const waiting = this.#wait(signal);
    if (this.#phase.kind === 'idle') this.#start(false);
    if (this.#phase.kind === 'refusing') this.#start(true);
    return waiting;
  }

  /** Stops and starts it, with the failure counts reset. Throws `fleet.server_unavailable` once it is closed. */
  async restart(signal: AbortSignal): Promise<void> {
    const refusal = this.#phase.kind === 'closed' && this.#refusal();
    if (refusal) throw refusal;
    this.#stop('idle');
    this.noteHealthy();
    this.#start(true);
    await this.acquire(signal);
  }

  /**
   * Pings the server after a call that began at `since` timed out or could not be sent. Resolves when the
   * ping is answered or has failed; never rejects.
   */
  async suspect(since: number): Promise<void> {
    if (this.#phase.kind !== 'ready') return;
    this.#suspectSince = Math.min(since, this.#suspectSince ?? since);
    await this.#ping(this.#phase.connection);
  }

  async close(): Promise<void> {
    this.#stop('closed');
    const error = new ServerUnavailableError(this.#options.name, 'it is being stopped');
    this.#settle((waiter) => waiter.reject(error));
    await this.#stopping;
  }

  #refusal(): ServerUnavailableError | undefined {
    const { name, timers } = this.#options;
    const phase = this.#phase;
    if (phase.kind === 'closed') {
      return new ServerUnavailableError(name, 'it was stopped or removed');
    }
    if (phase.kind !== 'refusing' || timers.now() >= phase.until) return undefined;
    const seconds = Math.ceil((phase.until - timers.now()) / 1_000);
    const reason = `${this.#lastError ?? 'it failed'}. The next attempt is in ${seconds} s`;
    return new ServerUnavailableError(name, reason);
  }

  #wait(signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        end();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        resolve: (connection) => {
          end();
          resolve(connection);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #start(isRetry: boolean): void {
    this.#cancelTimer();
    if (isRetry) this.#restarts += 1;
    this.#enter({ kind: 'starting', isRetry });
    const starting = new AbortController();
    this.#starting = starting;
    this.#connect(starting.signal).then(
      (connection) => {
        if (starting.signal.aborted) this.#stopping = connection.close().catch(() => {});
        else this.#connected(connection);
      },
      (error: unknown) => {
        if (!starting.signal.aborted) this.#failed(error);
      },
    );
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { name, policy, connect } = this.#options;
    await this.#stopping;
    const limit = { what: `Starting server "${name}"`, limitMs: policy.startLimitMs, signal };
    return withTimeLimit(limit, (limited) => {
      const opening = connect(limited);
      this.#stopping = this.#untilGone(opening, limited);
      return opening;
    });
  }

  /** Resolves when an aborted start is cleaned up, and at once when the start succeeds. */
  #untilGone(opening: Promise<Connection>, signal: AbortSignal): Promise<void> {
    const gone = Promise.withResolvers<void>();
    opening
      // A connection that opens after the abort has no owner and must be closed.
      .then((connection) => (signal.aborted ? connection.close() : undefined))
      .then(gone.resolve, () => gone.resolve());
    const onAbort = (): void => void this.#options.timers.after(goneLimitMs, gone.resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    return gone.promise;
  }

  #connected(connection: Connection): void {
    this.#lastUsedAt = this.#options.timers.now();
    this.#enter({ kind: 'ready', connection });
    this.#suspectSince = undefined;
    this.connection = connection;
    void connection.ended.then(({ reason }) => this.#ended(connection, reason));
    this.#watch(connection);
    this.#options.onConnected(connection);
    this.#settle((waiter) => waiter.resolve(connection));
  }

  #ended(connection: Connection, reason: string): void {
    if (this.connection !== connection) return;
    this.#options.log.warn('server exited', { reason });
    this.#leave(connection);
    this.#failed(new ServerUnavailableError(this.#options.name, reason));
  }

  #failed(error: unknown): void {
    const { policy, random, timers, log } = this.#options;
    const reason =
      error instanceof ServerUnavailableError ? error.reason : reportError(error).message;
    this.#cancelTimer();
    this.#failures += 1;
    this.#lastError = reason;
    if (error instanceof LoginRequiredError) {
      // The next call tries again at once: the user may have logged in.
      this.#enter({ kind: 'refusing', state: 'failed', until: timers.now() });
      this.#settle((waiter) => waiter.reject(error));
      return;
    }
    const isHopeless = error instanceof AppError && !error.retryable;
    if (!isHopeless && this.#failures <= policy.retryAttempts) {
      this.#enter({ kind: 'pausing' });
      const pauseMs = retryPauseMs(policy, this.#failures, random());
      this.#cancelTimer = timers.after(pauseMs, () => this.#start(true));
      return;
    }
    this.#refusals += 1;
    const pauseMs = refusalPauseMs(policy, this.#refusals);
    const state = isHopeless ? 'failed' : this.#options.stateWhenRefusing;
    this.#enter({ kind: 'refusing', state, until: timers.now() + pauseMs });
    log.error('server unavailable', { reason, pauseMs });
    const refusal = this.#refusal() ?? error;
    this.#settle((waiter) => waiter.reject(refusal));
    // Eager servers are restarted after the pause; lazy ones by the first call after it.
    this.#cancelTimer = timers.after(pauseMs, () => {
      if (!policy.isLazy || this.#users > 0) this.#start(true);
    });
  }

  /** Checks an open connection periodically instead of on every call. */
  #watch(connection: Connection): void {
    const { policy, timers } = this.#options;
    const everyMs = Math.min(policy.silentMs, policy.idleStopMs || policy.silentMs);
    this.#cancelTimer = timers.after(everyMs, () => {
      if (this.connection !== connection) return;
      const now = timers.now();
      if (now - this.#since >= policy.stableMs) this.noteHealthy();
      const quietMs = now - this.#lastUsedAt;
      if (policy.idleStopMs > 0 && this.#users === 0 && quietMs >= policy.idleStopMs) {
        this.#options.log.info('stopping idle server', { quietMs });
        this.#stop('idle');
        return;
      }
      const silentMs = now - Math.max(this.#lastUsedAt, connection.lastTrafficAt);
      if (silentMs >= policy.silentMs) void this.#ping(connection);
      this.#watch(connection);
    });
  }

  #ping(connection: Connection): Promise<void> {
    this.#pinging ??= this.#pingOnce(connection).finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async #pingOnce(connection: Connection): Promise<void> {
    const { name, policy } = this.#options;
    const never = new AbortController().signal;
    const limit = { what: `A ping of server "${name}"`, limitMs: policy.pingLimitMs };
    try {
      await withTimeLimit({ ...limit, signal: never }, (signal) => connection.ping(signal));
      this.#suspectSince = undefined;
    } catch (error) {
      const isAnswer = error instanceof LoginRequiredError;
      if (isAnswer || this.connection !== connection || this.#isBusy(connection)) return;
      this.#ended(connection, `It did not answer a ping: ${reportError(error).message}`);
    }
  }

  /** A server working on a call may miss a ping, but not one that was silent for longer than a call may take. */
  #isBusy({ lastTrafficAt }: Connection): boolean {
    if (this.#users === 0) return false;
    return this.#suspectSince === undefined || lastTrafficAt >= this.#suspectSince;
  }

  #stop(next: 'idle' | 'closed'): void {
    this.#cancelTimer();
    this.#starting?.abort();
    if (this.connection) this.#leave(this.connection);
    this.#enter({ kind: next });
  }

  #leave(connection: Connection): void {
    this.connection = undefined;
    this.#pastProblems = [...new Set([...this.#pastProblems, ...connection.problems])].slice(
      -maxPastProblems,
    );
    this.#stopping = connection.close().catch(() => {});
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#since = this.#options.timers.now();
  }

  #settle(settle: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiters) settle(waiter);
  }
}
