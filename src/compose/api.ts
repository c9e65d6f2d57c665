import { createApi, type Api } from '../api/index.ts';
import type { LoadedSettings } from '../config/index.ts';
import { findTrace, summarizeUsage, traceLimits } from '../observe/index.ts';
import { auditInstances, auditKeys, auditTenants, auditWorkflows } from './audited-ports.ts';
import type { openRooms } from './open-rooms.ts';
import { serverSwitch } from './server-switch.ts';
import type { SystemRequest } from './system.ts';

/** The REST API; nothing of it is loaded before its first request. */
export function apiHere(
  rooms: Awaited<ReturnType<typeof openRooms>>,
  { server }: Pick<LoadedSettings['values'], 'server'>,
  request: SystemRequest,
): Api {
  const {
    version,
    agent,
    agents,
    memory,
    memoryItems,
    contexts,
    feedback,
    models,
    runs,
    fleet,
    finder,
    store,
    audit,
    access,
  } = rooms;
  const { traces, answers } = store;
  return createApi({
    version,
    agent,
    agents,
    memory,
    contexts,
    feedback,
    memoryItems,
    experience: rooms.experience,
    models,
    instances: auditInstances(rooms.instances, audit.recorder, 'rest'),
    answers,
    keys: auditKeys(access.keys, audit.recorder, 'rest'),
    tenants: auditTenants(access.tenants, audit.recorder, 'rest'),
    policy: access.policy,
    audit: audit.recorder && audit.log,
    log: rooms.log.child({ room: 'api' }),
    workflows: auditWorkflows(runs.workflows, audit.recorder, 'rest'),
    artifacts: runs.artifacts,
    catalogue: fleet.catalogue,
    fleet: fleet.control,
    switchServer: serverSwitch({
      request,
      recorder: audit.recorder,
      checkFiles: () => rooms.entries.check(),
    }),
    summarizeUsage: async (caller, options) =>
      summarizeUsage(await traces.latest(caller, traceLimits.maxSearchedSpans), options),
    findTools: (query, count) => finder.find(query, count),
    traces: {
      find: (caller, id) => findTrace(traces, caller, id),
      recent: (caller, limit) => traces.recent(caller, limit),
    },
    limits: { maxRequestBytes: server.max_request_bytes },
  });
}
