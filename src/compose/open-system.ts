import { stat } from 'node:fs/promises';
import type { LoadedSettings } from '../config/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { ownVersion } from '../kernel/index.ts';
import { findTrace, formatTrace, traceLimits } from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { openAdministeredFleet } from './admin.ts';
import { chooseFace } from './compact.ts';
import { examine } from './doctor.ts';
import { serveHttp, serveStdio } from './faces.ts';
import { startObserving } from './observing.ts';
import { sandboxHere } from './sandbox.ts';
import { openServerEntries } from './server-entries.ts';
import { prepareServing } from './serving.ts';
import { loadSettingsHere } from './settings.ts';
import { startConditions } from './start-conditions.ts';
import type { System, SystemRequest } from './system.ts';
import { toolboxServers } from './toolbox.ts';
import { workflowServer } from './workflow-server.ts';
import { workflowsHere } from './workflow.ts';

export async function openSystem(request: SystemRequest): Promise<System> {
  const settings = await loadSettingsHere(request);
  const { home } = settings.values;
  const rooms = await openRooms(request, settings);
  const { version, store, log, tracing, sandbox, runs, fleet, finder } = rooms;
  const { catalogue, control, serve } = fleet;
  const face = chooseFace(catalogue, settings.values, request.face ?? 'auto');
  const parts = { settings: settings.values, version, log, ...face };
  // Where some servers are left out, runs would miss the tools they call.
  const resumed = request.only === undefined ? runs : undefined;
  const serving = prepareServing({ home, fleet: control, serve, sandbox, runs: resumed, log });
  return {
    settings,
    log,
    catalogue,
    fleet: control,
    workflows: runs.workflows,
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
    work: (options) => runs.work(options),
    close: () => closeInOrder([serving, runs, catalogue, sandbox, finder, tracing, store, log]),
  };
}

/** What the system is made of; most of it is built when it is first used. */
async function openRooms(request: SystemRequest, settings: LoadedSettings) {
  const { values, warnings } = settings;
  const version = ownVersion();
  const store = openStore({ home: values.home, traceLimits, place: request.cwd });
  const logTo = request.log ?? 'file';
  const { log, tracing } = startObserving({
    settings: values,
    version,
    logTo,
    traces: store.traces,
  });
  for (const warning of warnings) log.warn('setting looks wrong', { warning });
  const known = { settings: values, version, log };
  const catalogue = (): Catalogue => fleet.catalogue;
  const sandbox = sandboxHere({ ...known, request });
  const runs = workflowsHere({ ...known, tracing, store, request, catalogue });
  const ours = toolboxServers({ ...known, request, sandbox, catalogue });
  const { fleet, finder } = openAdministeredFleet({
    ...known,
    tracing,
    workflows: runs.workflows,
    ours: [...ours, workflowServer({ ...known, runs })],
    entries: await openServerEntries({ request, settings, log }),
    only: request.only,
  });
  return { version, store, log, tracing, sandbox, runs, fleet, finder };
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
