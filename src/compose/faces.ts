import type { Readable, Writable } from 'node:stream';
import type { Settings } from '../config/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import { createHttpGateway, serveStdio as serveGateway } from '../gateway/index.ts';
import type { Log } from '../kernel/index.ts';
import type { FaceCatalogues } from './compact.ts';
import type { Roots } from './roots.ts';
import { tuneCollector } from './tune-collector.ts';

export interface FaceParts extends FaceCatalogues {
  readonly settings: Settings;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly log: Log;
  readonly version: string;
  readonly roots: Pick<Roots, 'follow'>;
}

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends serving when it aborts: calls that run are stopped, unanswered. */
  readonly signal?: AbortSignal | undefined;
  /** What was read and answered before. */
  readonly opening?: Opening | undefined;
}

export interface HttpRequest {
  readonly host?: string;
  readonly port?: number;
}

/** Speaks MCP on the streams until the input ends or the signal aborts. */
export async function serveStdio(parts: FaceParts, streams: StdioStreams): Promise<void> {
  tuneCollector();
  const gateway = serveGateway({
    server: parts.stdioCatalogue,
    input: streams.stdin,
    output: streams.stdout,
    log: parts.log,
    maxMessageBytes: parts.settings.server.max_request_bytes,
    opening: streams.opening,
    onRoots: (ask) => parts.roots.follow(ask),
  });
  const { signal } = streams;
  const onAbort = (): void => void gateway.close();
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  await gateway.closed;
  signal?.removeEventListener('abort', onAbort);
}

/** Serves MCP over HTTP until it is closed. */
export function serveHttp(
  parts: FaceParts,
  wanted: HttpRequest,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  tuneCollector();
  const { server } = parts.settings;
  return createHttpGateway({
    server: parts.httpCatalogue,
    servers: () => parts.fleet.status(),
    log: parts.log,
    version: parts.version,
    host: wanted.host ?? server.host,
    port: wanted.port ?? server.port,
    token: server.auth_token,
    allowedHosts: server.allowed_hosts,
    allowedOrigins: server.allowed_origins,
    limits: { maxRequestBytes: server.max_request_bytes },
  });
}
