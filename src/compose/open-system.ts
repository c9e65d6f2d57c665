import { stat } from 'node:fs/promises';
import { localCaller } from '../contract/caller/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Log } from '../kernel/index.ts';
import { findTrace, formatTrace } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import { hideSecrets } from './check-code.ts';
import { chooseFace, serveHttp, serveStdio } from './faces.ts';
import { type ControlServer, openControl } from './control.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { examine } from './doctor.ts';
import { localModelsHere } from './local-models.ts';
import { openRooms } from './open-rooms.ts';
import type { SandboxHere } from './sandbox.ts';
import { loadSettingsHere, startConditions } from './settings.ts';
import type { System, SystemRequest } from './system.ts';
import type { WorkflowsHere } from './workflow.ts';

export async function openSystem(request: SystemRequest): Promise<System> {
  const settings = await loadSettingsHere(request);
  prepareDataDirectory(settings.values.home);
  const rooms = await openRooms(request, settings);
  const { version, store, log, tracing, roots, sandbox, runs, fleet, finder } = rooms;
  const { agent, memory, models, embedder, preview, metrics, access } = rooms;
  const { catalogue, control, serve } = fleet;
  const face = chooseFace(catalogue, settings.values, request.face ?? 'auto');
  const known = { settings: settings.values, version, log, metrics };
  const parts = { ...known, fleet: control, roots, access, ...face };
  // Where some servers are left out, runs would miss the tools they call.
  const resumed = request.only === undefined ? runs : undefined;
  const serving = prepareServing({
    home: settings.values.home,
    fleet: control,
    serve,
    sandbox,
    runs: resumed,
    log,
  });
  const closeEmbedder = async (): Promise<void> => (await embedder.opened())?.close();
  const rest = [
    sandbox,
    memory,
    models,
    finder,
    { close: closeEmbedder },
    access,
    tracing,
    store,
    log,
  ];
  return {
    settings,
    log,
    catalogue,
    fleet: control,
    workflows: runs.workflows,
    preview,
    hideSecrets,
    agent,
    memory,
    models,
    localModels: localModelsHere(settings.values),
    keys: access.keys,
    tenants: access.tenants,
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
    startConditions: () => startConditions(request, settings),
    serveStdio: (streams) => {
      serving.begin();
      return serveStdio(parts, streams);
    },
    serveHttp: () => {
      serving.begin();
      return serveHttp(parts);
    },
    work: (options) => runs.work(options),
    close: () => closeInOrder([serving, runs, catalogue, ...rest]),
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

interface ServingParts {
  readonly home: string;
  readonly fleet: FleetControl;
  readonly serve: () => void;
  readonly sandbox: SandboxHere;
  /** Absent where not all servers are there that runs may call. */
  readonly runs: Pick<WorkflowsHere, 'serve'> | undefined;
  readonly log: Log;
}

/** Starts with the first face and ends with the system: eager servers, unfinished runs, control requests. */
function prepareServing({ home, fleet, serve, sandbox, runs, log }: ServingParts) {
  let control: Promise<ControlServer | undefined> | undefined;
  return {
    begin(): void {
      serve();
      sandbox.serve();
      runs?.serve();
      control ??= openControl({ home, fleet, log }).catch((error: unknown) => {
        log.warn('control requests are disabled', { error });
        return undefined;
      });
    },
    close: async (): Promise<void> => (await control)?.close(),
  };
}
