import { stat } from 'node:fs/promises';
import type { LoadedSettings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Check } from '../contract/doctor/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { StartConditions } from '../contract/opening/index.ts';
import { ownVersion, type Log } from '../kernel/index.ts';
import {
  findTrace,
  formatTrace,
  traceLimits,
  type SpanRecord,
  type TraceSummary,
} from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { openAdministeredFleet } from './admin.ts';
import { chooseFace, type Face } from './compact.ts';
import { examine } from './doctor.ts';
import { serveHttp, serveStdio, type HttpRequest, type StdioStreams } from './faces.ts';
import { startObserving } from './observing.ts';
import { sandboxHere } from './sandbox.ts';
import { openServerEntries } from './server-entries.ts';
import { prepareServing } from './serving.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';
import { startConditions } from './start-conditions.ts';
import { toolboxServers } from './toolbox.ts';

export interface SystemRequest extends SettingsRequest {
  /** Serve just these servers; with one, tools keep their bare names. */
  readonly only?: readonly string[];
  /** What clients of `serveStdio` see: every tool, or a few that find and call the others. */
  readonly face?: Face;
  readonly log?: 'stderr' | 'file';
}

/** Everything a face may ask for. */
export interface System {
  readonly settings: LoadedSettings;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly fleet: FleetControl;
  readonly version: string;
  /** The tools that fit what is to be done, best first. */
  readonly findTools: (query: string, count: number) => Promise<readonly CatalogueEntry[]>;
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
  /** What the first answers to clients depend on. */
  startConditions(): StartConditions;
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
  const known = { settings: settings.values, version, log };
  const sandbox = sandboxHere({ ...known, request });
  const ours = toolboxServers({ ...known, request, sandbox, catalogue: () => fleet.catalogue });
  const { fleet, finder } = openAdministeredFleet({
    ...known,
    tracing,
    ours,
    entries: await openServerEntries({ request, settings, log }),
    only: request.only,
  });
  const { catalogue, control, serve } = fleet;
  const parts = { ...known, ...chooseFace(catalogue, settings.values, request.face ?? 'auto') };
  const { home } = settings.values;
  const serving = prepareServing({ home, fleet: control, serve, sandbox, log });
  return {
    settings,
    log,
    catalogue,
    fleet: control,
    version,
    traces: tracesOf(store),
    findTools: (query, count) => finder.find(query, count),
    formatTrace,
    backup: (target, options) => backUp(store, target, options),
    doctor: () =>
      examine({
        settings,
        store,
        catalogue,
        fleet: control,
        sandbox: sandbox.get,
        searchPath: request.env['PATH'] ?? '',
      }),
    startConditions: () => startConditions(request, home),
    serveStdio: (streams) => {
      serving.begin();
      return serveStdio(parts, streams);
    },
    serveHttp: (wanted) => {
      serving.begin();
      return serveHttp(parts, wanted);
    },
    close: () => closeInOrder([serving, catalogue, sandbox, finder, tracing, store, log]),
  };
}

/** What still works for others is closed after them. */
async function closeInOrder(parts: readonly { close(): unknown }[]): Promise<void> {
  for (const part of parts) await part.close();
}

function tracesOf({ traces }: Store): System['traces'] {
  return {
    find: (id) => findTrace(traces, localCaller, id),
    recent: (limit) => traces.recent(localCaller, limit),
  };
}

async function backUp(
  store: Store,
  target: string,
  options: { readonly force: boolean },
): Promise<{ path: string; bytes: number }> {
  await store.backup(target, options);
  return { path: target, bytes: (await stat(target)).size };
}
