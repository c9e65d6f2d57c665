import type { LoadedSettings } from '../config/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import { lazy, ownVersion, systemTimers } from '../kernel/index.ts';
import { traceLimits } from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { accessHere } from './access.ts';
import {
  agentServer,
  debugServer,
  memoryServer,
  openAdministeredFleet,
  workflowServer,
} from './own-servers.ts';
import { agentsHere } from './agents.ts';
import { agentHere } from './agent.ts';
import { auditHere } from './audit.ts';
import { auditWorkflows } from './audited-ports.ts';
import { contextsHere } from './contexts.ts';
import { experienceHere } from './experience.ts';
import { recordModelCalls } from './record-attempts.ts';
import { instancesHere } from './instances.ts';
import { memoriesHere } from './memory.ts';
import { loginsHere } from './logins.ts';
import { mlHere } from './ml.ts';
import { modelsHere } from './models.ts';
import { startObserving } from './observing.ts';
import { Roots } from './roots.ts';
import { sandboxHere } from './sandbox.ts';
import { openServerEntries } from './server-entries.ts';
import type { SystemRequest } from './system.ts';
import { toolboxServers } from './toolbox.ts';
import { traceAgent, traceMemory, traceModels, traceSandbox } from './trace-rooms.ts';
import { workflowsHere, type WorkflowsHere } from './workflow.ts';
import { workspaceHere } from './workspace.ts';

/** What the system is made of; most of it is built when it is first used. */
export async function openRooms(request: SystemRequest, settings: LoadedSettings) {
  const { values } = settings;
  const version = ownVersion();
  const store = storeHere(values, () => roots.folder());
  const { log, tracing, metrics } = observe(request, settings, { version, store });
  const known = { settings: values, version, log };
  const audit = auditHere({ settings: values, store, log });
  const roots = new Roots(settings, log);
  const catalogue = (): Catalogue => fleet.catalogue;
  const access = accessHere({ ...known, store, catalogue });
  const sandbox = traceSandbox(sandboxHere({ ...known, request }), tracing);
  const workspace = workspaceHere({ ...known, roots, request, feedback: () => feedback });
  const experience = experienceHere({ ...known, store, roots, workflows: () => flows.workflows });
  const recording = { experience, version, store };
  const preview = firstOf(() => [workspace.preview, ml.preview]);
  const flow = { ...known, tracing, store, roots, request, catalogue, preview, recording };
  const flows = workflowsHere({ ...flow, access: access.credentials });
  const embedder = lazy(async () => (await import('../models/index.ts')).createLocalEmbedder());
  const { artifacts } = flows;
  const ml = mlHere({ ...known, request, roots, sandbox, store, artifacts, experience });
  const traced = traceModels(modelsHere({ ...known, store, artifacts }), tracing);
  const models = recordModelCalls(traced, recording);
  const kinds = memoriesHere({ ...known, store, roots, request, embedder, artifacts });
  const remembered = { ...kinds, memoryItems: traceMemory(kinds.memoryItems, tracing) };
  const used = { ...known, store, ...remembered, experience, agents: () => agents };
  const { contexts, feedback, runs } = contextsHere({ ...used, runs: flows });
  const servers = (): ReturnType<FleetControl['status']> => fleet.control.status();
  const { memoryItems: notes } = remembered;
  const asked = { ...used, roots, models, notes, contexts, runs, catalogue, servers, workspace };
  const agent = traceAgent(agentHere({ ...known, ...asked, finder: () => finder }), tracing);
  const agents = agentsHere({ ...known, ...asked, tracing, store, request, finder: () => finder });
  const logins = loginsHere({ ...known, store });
  const ours = toolboxServers({ ...known, roots, request, sandbox, catalogue, models });
  const entries = await openServerEntries({ request, settings, log });
  const { fleet, finder } = openAdministeredFleet({
    ...known,
    tracing,
    workflows: runs.workflows,
    embedder,
    ours: [
      ...ours,
      workspace.entry,
      workflowServer({ ...known, runs: auditedRuns(runs, audit) }),
      agentServer({ ...known, agent, contexts, agents }),
      memoryServer({ ...known, memory: notes, entries }),
      debugServer({ ...known, experience }),
      ml.entry,
    ],
    entries,
    clientRoots: roots,
    recording,
    recordCall: audit.recorder?.call,
    logins,
    only: request.only,
  });
  const instances = instancesHere({ ...known, store, fleet, runs: flows, timers: systemTimers });
  const seen = { log, tracing, metrics, audit, version, store, roots, preview, access, logins };
  const kept = { ...seen, ...remembered, entries, contexts, feedback, experience, instances };
  return { ...kept, sandbox, runs, fleet, finder, agent, agents, models, embedder };
}

/** The preview of the server that has one; made when all servers are. */
function firstOf(previews: () => readonly PreviewEffect[]): PreviewEffect {
  return async (call, signal) => {
    for (const preview of previews()) {
      const shown = await preview(call, signal);
      if (shown) return shown;
    }
    return undefined;
  };
}

function storeHere(
  { home, database_url: url }: LoadedSettings['values'],
  place: () => Promise<string>,
): ReturnType<typeof openStore> {
  return openStore({ home, databaseUrl: url?.reveal(), traceLimits, place });
}

/** Runs that MCP clients start, with what was decided about them in the audit log. */
function auditedRuns<Runs extends Pick<WorkflowsHere, 'workflows'>>(
  runs: Runs,
  { recorder }: ReturnType<typeof auditHere>,
): Runs {
  return { ...runs, workflows: auditWorkflows(runs.workflows, recorder, 'mcp') };
}

function observe(
  { log: logTo = 'file', stderr }: SystemRequest,
  { values: settings, warnings }: LoadedSettings,
  { version, store }: { readonly version: string; readonly store: Store },
) {
  const { traces } = store;
  const shown = stderr ? { stderr } : {};
  const observing = startObserving({ settings, version, logTo, traces, ...shown });
  for (const warning of warnings) observing.log.warn('suspicious setting', { warning });
  return observing;
}
