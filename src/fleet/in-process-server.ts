import type { McpServer } from '../contract/server/index.ts';
import { reportError, type Timers } from '../kernel/index.ts';
import type { ServerRunner, RunnerListener, RunnerStatus, ServerCall } from './server-runner.ts';
import { CallStatistics } from './supervise/call-statistics.ts';

/** An in-process server: opened on first use; a failed opening is retried on the next use. */
export class InProcessServer implements ServerRunner {
  readonly transport = 'in-process';
  readonly entersSpans = false;
  readonly #open: () => Promise<McpServer>;
  readonly #listener: RunnerListener;
  readonly #timers: Timers;
  readonly #statistics = new CallStatistics();
  #opening: Promise<McpServer> | undefined;
  #opened: McpServer | undefined;
  #since: number;
  #lastError: string | null = null;
  #logLevel: string | undefined;
  #stopListening = (): void => {};

  constructor(open: () => Promise<McpServer>, listener: RunnerListener, timers: Timers) {
    this.#open = open;
    this.#listener = listener;
    this.#timers = timers;
    this.#since = timers.now();
  }

  async run<Result>({ work }: ServerCall<Result>): Promise<Result> {
    const startedAt = performance.now();
    let hasFailed = true;
    try {
      const result = await work(this.#opened ?? (await this.#use()));
      hasFailed = isFailedResult(result);
      return result;
    } finally {
      this.#statistics.add(performance.now() - startedAt, hasFailed);
    }
  }

  get opened(): McpServer | undefined {
    return this.#opened;
  }

  async watchResource(uri: string): Promise<() => void> {
    const server = await this.#use();
    return (await server.watchResource?.(uri)) ?? (() => {});
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.#opened?.setLogLevel?.(level);
  }

  async start(): Promise<void> {
    await this.#use();
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#use();
  }

  async status(): Promise<RunnerStatus> {
    return {
      state: this.#state(),
      since: this.#since,
      pid: null,
      restarts: 0,
      lastError: this.#lastError,
      memoryBytes: null,
      protocolVersion: null,
      version: this.#opened?.version ?? null,
      problems: [],
      ...this.#statistics.summary(),
    };
  }

  async logs(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#leave();
    const server = await opening?.catch(() => undefined);
    // The opening may have finished just now.
    if (server && this.#opened === server) this.#leave();
    await server?.close();
  }

  #leave(): void {
    this.#opened = undefined;
    this.#stopListening();
    this.#stopListening = () => {};
  }

  #state(): RunnerStatus['state'] {
    if (this.#opened) return 'ready';
    if (this.#opening) return 'starting';
    return this.#lastError === null ? 'idle' : 'failed';
  }

  #use(): Promise<McpServer> {
    this.#opening ??= this.#openOnce();
    return this.#opening;
  }

  async #openOnce(): Promise<McpServer> {
    this.#since = this.#timers.now();
    try {
      const server = await this.#open();
      this.#opened = server;
      this.#lastError = null;
      if (this.#logLevel !== undefined) server.setLogLevel?.(this.#logLevel);
      this.#stopListening = server.onChange((change) => this.#listener.onChange(change));
      this.#listener.onOpened(server);
      return server;
    } catch (error) {
      this.#opening = undefined;
      this.#lastError = reportError(error).message;
      throw error;
    } finally {
      this.#since = this.#timers.now();
    }
  }
}

/** Tools report failures as results. */
export function isFailedResult(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'isError' in result && result.isError === true
  );
}
