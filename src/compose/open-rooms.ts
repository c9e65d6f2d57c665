import type { LoadedSettings } from '../config/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { lazy, ownVersion } from '../kernel/index.ts';
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
import { agentHere } from './agent.ts';
import { auditHere } from './audit.ts';
import { auditWorkflows } from './audited-ports.ts';
import { contextsHere } from './contexts.ts';
import { experienceHere } from './experience.ts';
import { recordModelCalls } from './record-attempts.ts';
import { memoriesHere } from './memory.ts';
import { loginsHere } from './logins.ts';
import { modelsHere } from './models.ts';
import { startObserving } from './observing.ts';
import { Roots } from './roots.ts';
import { sandboxHere } from './sandbox.ts';
import { openServerEntries } from './server-entries.ts';
import type { SystemRequest } from './system.ts';
import { toolboxServers } from './toolbox.ts';
import { workflowsHere } from './workflow.ts';
import { workspaceHere } from './workspace.ts';

/** What the system is made of; most of it is built when it is first used. */
export async function openRooms(request: SystemRequest, settings: LoadedSettings) {
  const { values } = settings;
  const version = ownVersion();
  const store = openStore({ home: values.home, traceLimits, place: request.cwd });
  const { log, tracing, metrics } = observe(request, settings, { version, store });
  const known = { settings: values, version, log };
  const audit = auditHere({ settings: values, store, log });
  const roots = new Roots(settings, log);
  const catalogue = (): Catalogue => fleet.catalogue;
  const access = accessHere({ ...known, store, catalogue });
  const sandbox = sandboxHere({ ...known, request });
  const workspace = workspaceHere({ ...known, roots, request, feedback: () => feedback });
  const { preview } = workspace;
  const experience = experienceHere({ ...known, store, workflows: () => flows.workflows });
  const recording = { experience, version };
  const flow = { ...known, tracing, store, request, catalogue, preview, recording };
  const flows = workflowsHere({ ...flow, access: access.credentials });
  const embedder = lazy(async () => (await import('../models/index.ts')).createLocalEmbedder());
  const { artifacts } = flows;
  const models = recordModelCalls(modelsHere({ ...known, store, artifacts }), recording);
  const remembered = memoriesHere({ ...known, store, request, embedder, artifacts });
  const { memory, memoryItems: notes } = remembered;
  const used = { ...known, store, ...remembered, experience };
  const { contexts, feedback, runs } = contextsHere({ ...used, runs: flows });
  const servers = (): ReturnType<FleetControl['status']> => fleet.control.status();
  const asked = { roots, models, memory, notes, contexts, experience, runs, catalogue, servers };
  const agent = agentHere({ ...known, ...asked, finder: () => finder });
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
      workflowServer({
        ...known,
        runs: { ...runs, workflows: auditWorkflows(runs.workflows, audit.recorder, 'mcp') },
      }),
      agentServer({ ...known, agent, contexts }),
      memoryServer({ ...known, memory: notes, entries }),
      debugServer({ ...known, experience }),
    ],
    entries,
    clientRoots: roots,
    recording,
    recordCall: audit.recorder?.call,
    logins,
    only: request.only,
  });
  const checkFiles = (): Promise<void> => entries.check();
  const seen = { log, tracing, metrics, audit };
  const observed = { ...seen, version, store, roots, preview, access, logins, checkFiles };
  const kept = { ...observed, ...remembered, contexts, feedback, experience };
  return { ...kept, sandbox, runs, fleet, finder, agent, models, embedder };
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
