import type { Readable, Writable } from 'node:stream';
import type { Settings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Opening } from '../contract/opening/index.ts';
import { serveStdio as serveGateway, type HttpGatewayOptions } from '../gateway/index.ts';
import type { RefusedRequest } from '../http/index.ts';
import type { Log } from '../kernel/index.ts';
import type { Metrics } from '../observe/index.ts';
import type { AccessHere } from './access.ts';
import type { FaceCatalogues } from './choose-face.ts';
import type { Roots } from './roots.ts';
import { tuneCollector } from './tune-collector.ts';

export interface FaceParts extends FaceCatalogues {
  readonly settings: Settings;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly log: Log;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'render' | 'collect' | 'add'>;
  readonly roots: Pick<Roots, 'follow'>;
  readonly access: Pick<AccessHere, 'serving'>;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  readonly onForbidden?: HttpGatewayOptions['onForbidden'];
  readonly onHeaderMismatch?: HttpGatewayOptions['onHeaderMismatch'];
}

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends serving when it aborts: calls that run are stopped, unanswered. */
  readonly signal?: AbortSignal | undefined;
  /** What was read and answered before. */
  readonly opening?: Opening | undefined;
}

/** Speaks MCP on the streams until the input ends or the signal aborts. */
export async function serveStdio(parts: FaceParts, streams: StdioStreams): Promise<void> {
  tuneCollector();
  const gateway = serveGateway({
    server: parts.stdioCatalogue,
    caller: localCaller,
    input: streams.stdin,
    output: streams.stdout,
    log: parts.log,
    maxMessageBytes: parts.settings.server.max_request_bytes,
    minProtocolVersion: parts.settings.server.min_protocol_version,
    baggageKeys: parts.settings.tracing.baggage_keys,
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
