import type { ServerState, ServerTransport } from '../contract/fleet/index.ts';
import type { CallContext, McpServer, ServerChange } from '../contract/server/index.ts';
import type { RunIn } from './call-tracer.ts';

/** One piece of work on a server. */
export interface ServerCall<Result> {
  /** Running it twice does no harm, so it may be sent again when a connection is lost under it. */
  readonly isRepeatable: boolean;
  readonly context: CallContext;
  /** The way into its span, for runners that enter it themselves; absent where nothing is traced. */
  readonly inSpan?: RunIn | undefined;
  readonly work: (server: McpServer) => Promise<Result>;
}

/** What runs a server of the fleet: this process, or a supervised connection. */
export interface ServerRunner {
  readonly transport: ServerTransport;
  /** It enters the spans of calls itself, where there is something to see from inside; else all of a call is inside. */
  readonly entersSpans: boolean;
  /** The server as it can be used this moment; undefined while it would have to be started. */
  readonly opened: OpenedServer | undefined;
  /** Starts it when needed. Throws what `work` throws, or `fleet.server_unavailable`. */
  run<Result>(call: ServerCall<Result>): Promise<Result>;
  /** Keeps the server up and the resource watched, across restarts, until the returned function is called. */
  watchResource(uri: string, signal: AbortSignal): Promise<() => void>;
  setLogLevel(level: string): void;
  /** Starts it; resolves when it can be used. */
  start(signal: AbortSignal): Promise<void>;
  restart(signal: AbortSignal): Promise<void>;
  status(): Promise<RunnerStatus>;
  /** What it wrote to standard error, oldest first. */
  logs(maxLines: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A server that can be used, and what else is known of it where it is outside this process. */
export interface OpenedServer extends McpServer {
  readonly protocolVersion?: string;
  /** When a list has to be asked for again, by the server's own word; undefined before it was fetched. */
  listingFreshUntil?(
    list: 'tools' | 'resources' | 'resourceTemplates' | 'prompts',
  ): number | undefined;
}

/** What a runner tells about its server without being asked. */
export interface RunnerListener {
  /** It can be used: for the first time, or again. What it offers may have changed. */
  onOpened(server: OpenedServer): void;
  onChange(change: ServerChange): void;
}

export interface RunnerStatus {
  readonly state: ServerState;
  readonly since: number;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  readonly memoryBytes: number | null;
  readonly protocolVersion: string | null;
  readonly version: string | null;
  readonly problems: readonly string[];
  readonly calls: number;
  readonly failedCalls: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}
