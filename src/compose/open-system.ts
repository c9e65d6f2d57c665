import { stat } from 'node:fs/promises';
import { ocsfEvent } from '../access/index.ts';
import type { Store } from '../store/index.ts';
import { alertsHere } from './alerts.ts';
import { apiHere } from './api.ts';
import {
  auditFleet,
  auditInstances,
  auditKeys,
  auditTenants,
  auditWorkflows,
} from './audited-ports.ts';
import { hideSecrets } from './check-code.ts';
import { chooseFace } from './choose-face.ts';
import { collectMetrics } from './collect-metrics.ts';
import { serveStdio } from './faces.ts';
import { serveHttp } from './serve-http.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { examine } from './doctor.ts';
import { localModelsHere } from './local-models.ts';
import { openRooms } from './open-rooms.ts';
import { readObserved } from './read-traces.ts';
import { prepareServing } from './prepare-serving.ts';
import { loadSettingsHere, startConditions } from './settings.ts';
import type { System, SystemRequest } from './system.ts';

export async function openSystem(request: SystemRequest): Promise<System> {
  const settings = await loadSettingsHere(request);
  prepareDataDirectory(settings.values.home);
  const rooms = await openRooms(request, settings);
  const { version, store, audit, log, tracing, roots, sandbox, runs, fleet, finder } = rooms;
  const { agent, memory, memoryItems, contexts, feedback, models, embedder } = rooms;
  const { preview, metrics, access, logins, instances } = rooms;
  const { catalogue, control, serve } = fleet;
  const face = chooseFace(fleet, settings.values, request.face ?? 'auto');
  const known = { settings: settings.values, version, log, metrics, store };
  collectMetrics({ ...known, home: settings.values.home, fleet: control, sandbox });
  const alerts = alertsHere({ settings: settings.values, metrics, log });
  const served = { fleet: control, roots, access, logins, instances, ...refusalsOf(audit) };
  const parts = { ...known, ...served, api: apiHere(rooms, known.settings, request), ...face };
  // Where some servers are left out, runs would miss the tools they call.
  const resumed = request.only === undefined ? runs : undefined;
  const { home } = settings.values;
  const controlled = { home, fleet: control, checkFiles: () => rooms.entries.check() };
  const serving = prepareServing({ ...controlled, serve, sandbox, runs: resumed, log });
  const lazyEmbedder = { close: async () => (await embedder.opened())?.close() };
  const opened = [sandbox, rooms.experience, memoryItems, memory, models, finder, lazyEmbedder];
  const last = [access, tracing, audit.log, store, log];
  const examined = { settings, store, catalogue, fleet: control, sandbox: sandbox.get };
  return {
    settings,
    log,
    catalogue,
    ...auditedParts(rooms, settings.values.home),
    preview,
    hideSecrets,
    agent,
    agents: rooms.agents,
    memory,
    contexts,
    feedback,
    memoryItems,
    experience: rooms.experience,
    models,
    localModels: localModelsHere(settings.values),
    version,
    folder: () => roots.folder(),
    ...readObserved(store),
    alerts,
    findTools: (query, count) => finder.find(query, count),
    backup: (target, options) => backUp(store, target, options),
    doctor: () => examine({ ...examined, searchPath: request.env['PATH'] ?? '' }),
    startConditions: () => startConditions(request, settings),
    serveStdio: (streams) => {
      serving.begin();
      return serveStdio(parts, streams);
    },
    serveHttp: async () => {
      serving.begin();
      const listener = await serveHttp(parts);
      alerts.watch(listener.url);
      return listener;
    },
    work: (options) => runs.work(options),
    close: () => closeInOrder([alerts, serving, rooms.agents, runs, catalogue, ...opened, ...last]),
  };
}

function refusalsOf({
  onRefused,
  onForbidden,
  onHeaderMismatch,
}: Awaited<ReturnType<typeof openRooms>>['audit']) {
  return { onRefused, onForbidden, onHeaderMismatch };
}

/** What the user at this machine does is recorded. */
function auditedParts(
  { version, audit, access, fleet, runs, instances }: Awaited<ReturnType<typeof openRooms>>,
  home: string,
): Pick<
  System,
  'fleet' | 'workflows' | 'instances' | 'audit' | 'ocsfEvent' | 'keys' | 'tenants' | 'policy'
> {
  return {
    fleet: auditFleet(fleet.control, { recorder: audit.recorder, home }),
    workflows: auditWorkflows(runs.workflows, audit.recorder, 'cli'),
    instances: auditInstances(instances, audit.recorder, 'cli'),
    audit: audit.log,
    keys: auditKeys(access.keys, audit.recorder, 'cli'),
    tenants: auditTenants(access.tenants, audit.recorder, 'cli'),
    policy: access.policy,
    ocsfEvent: (entry) => ocsfEvent(entry, version),
  };
}

/** What still works for others is closed after them. */
async function closeInOrder(parts: readonly { close(): unknown }[]): Promise<void> {
  for (const part of parts) await part.close();
}

async function backUp(
  store: Store,
  target: string,
  options: { readonly force: boolean },
): Promise<{ path: string; bytes: number }> {
  await store.backup(target, options);
  return { path: target, bytes: (await stat(target)).size };
}
