import { stat } from 'node:fs/promises';
import type { LoadedSettings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { CallLane, createCatalogue } from '../fleet/index.ts';
import { ownVersion, type Log } from '../kernel/index.ts';
import {
  findTrace,
  formatTrace,
  traceLimits,
  type SpanRecord,
  type Tracing,
  type TraceSummary,
} from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { examine, type Check } from './doctor.ts';
import { serveHttp, serveStdio, type HttpRequest, type StdioStreams } from './faces.ts';
import { startObserving } from './observing.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';
import { toolboxServers } from './toolbox.ts';

export interface SystemRequest extends SettingsRequest {
  /** Serve just these servers; with one, tools keep their bare names. */
  readonly only?: readonly string[];
  readonly log?: 'stderr' | 'file';
}

/** Everything a face may ask for. */
export interface System {
  readonly settings: LoadedSettings;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly version: string;
  readonly traces: {
    find(id: string): Promise<readonly SpanRecord[]>;
    recent(limit: number): Promise<readonly TraceSummary[]>;
  };
  formatTrace(spans: readonly SpanRecord[]): string;
  backup(
    target: string,
    options: { readonly force: boolean },
  ): Promise<{ path: string; bytes: number }>;
  doctor(): Promise<readonly Check[]>;
  serveStdio(streams: StdioStreams): Promise<void>;
  serveHttp(request: HttpRequest): Promise<{ readonly url: string; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function openSystem(request: SystemRequest): Promise<System> {
  const settings = await loadSettingsHere(request);
  const version = ownVersion();
  const store = openStore({ home: settings.values.home, traceLimits });
  const { log, tracing } = startObserving({
    settings: settings.values,
    version,
    logTo: request.log ?? 'file',
    traces: store.traces,
  });
  for (const warning of settings.warnings) log.warn('setting looks wrong', { warning });
  const catalogue = openCatalogue({ request, settings, version, log, tracing });
  const parts = { settings: settings.values, catalogue, log, version };
  return {
    settings,
    log,
    catalogue,
    version,
    traces: {
      find: (id) => findTrace(store.traces, localCaller, id),
      recent: (limit) => store.traces.recent(localCaller, limit),
    },
    formatTrace,
    backup: (target, options) => backUp(store, target, options),
    doctor: () => examine({ settings, store, catalogue, searchPath: request.env['PATH'] ?? '' }),
    serveStdio: (streams) => serveStdio(parts, streams),
    serveHttp: (wanted) => serveHttp(parts, wanted),
    async close() {
      await catalogue.close();
      await tracing.close();
      store.close();
      log.close();
    },
  };
}

interface CatalogueParts {
  readonly request: SystemRequest;
  readonly settings: LoadedSettings;
  readonly version: string;
  readonly log: Log;
  readonly tracing: Tracing;
}

const secondMs = 1_000;

function openCatalogue({ request, settings, version, log, tracing }: CatalogueParts): Catalogue {
  const { performance, tools } = settings.values;
  const limits = {
    maxConcurrent: performance.max_concurrent_requests,
    maxWaiting: performance.max_waiting_requests,
    timeoutMs: performance.timeout_seconds * secondMs,
  };
  return createCatalogue({
    title: settings.values.server.name,
    version,
    servers: toolboxServers({
      settings: settings.values,
      version,
      cwd: request.cwd,
      log,
      only: request.only,
    }),
    lane: new CallLane(limits, tracing, log),
    enabledTools: tools.enabled,
    log,
  });
}

async function backUp(
  store: Store,
  target: string,
  options: { readonly force: boolean },
): Promise<{ path: string; bytes: number }> {
  await store.backup(target, options);
  return { path: target, bytes: (await stat(target)).size };
}
