import type { ServerState, ServerTransport } from '../contract/fleet/index.ts';
import type { CallContext, McpServer, ServerChange } from '../contract/server/index.ts';
import type { RunIn } from './call-tracer.ts';

/** One request to a server. */
export interface ServerCall<Result> {
  /** It is safe to run twice, so it may be resent when the connection is lost. */
  readonly isRepeatable: boolean;
  readonly context: CallContext;
  /** Enters its span, for runners that do so themselves; undefined without tracing. */
  readonly inSpan?: RunIn | undefined;
  readonly work: (server: McpServer) => Promise<Result>;
}

/** Runs a server of the fleet: in this process, or over a supervised connection. */
export interface ServerRunner {
  readonly transport: ServerTransport;
  /** It enters call spans itself where something is logged or traced; otherwise the whole call runs inside. */
  readonly entersSpans: boolean;
  /** The open server; undefined while it is not started. */
  readonly opened: OpenedServer | undefined;
  /** Starts the server if needed. Throws what `work` throws, or `fleet.server_unavailable`. */
  run<Result>(call: ServerCall<Result>): Promise<Result>;
  /** Keeps the server up and the resource watched, across restarts, until the returned function is called. */
  watchResource(uri: string, signal: AbortSignal): Promise<() => void>;
  setLogLevel(level: string): void;
  /** Starts it; resolves when it can be used. With a context, by the caller of that call, who may be asked to log in. */
  start(signal: AbortSignal, context?: CallContext): Promise<void>;
  restart(signal: AbortSignal): Promise<void>;
  status(): Promise<RunnerStatus>;
  /** Its standard error, oldest line first. */
  logs(maxLines: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An open server, with details known only of external ones. */
export interface OpenedServer extends McpServer {
  readonly protocolVersion?: string;
  /** Expiry of a list according to the server's `ttlMs`; undefined before it was fetched. */
  listingFreshUntil?(
    list: 'tools' | 'resources' | 'resourceTemplates' | 'prompts',
  ): number | undefined;
}

/** Events of a runner. */
export interface RunnerListener {
  /** The server is open, for the first time or again; its listing may have changed. */
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
