import { createApi, type Api } from '../api/index.ts';
import type { LoadedSettings } from '../config/index.ts';
import { findTrace } from '../observe/index.ts';
import { auditInstances, auditKeys, auditWorkflows } from './audited-ports.ts';
import type { openRooms } from './open-rooms.ts';

/** The REST API; nothing of it is loaded before its first request. */
export function apiHere(
  rooms: Awaited<ReturnType<typeof openRooms>>,
  { server }: Pick<LoadedSettings['values'], 'server'>,
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
    audit: audit.recorder && audit.log,
    log: rooms.log.child({ room: 'api' }),
    workflows: auditWorkflows(runs.workflows, audit.recorder, 'rest'),
    artifacts: runs.artifacts,
    catalogue: fleet.catalogue,
    fleet: fleet.control,
    findTools: (query, count) => finder.find(query, count),
    traces: {
      find: (caller, id) => findTrace(traces, caller, id),
      recent: (caller, limit) => traces.recent(caller, limit),
    },
    limits: { maxRequestBytes: server.max_request_bytes },
  });
}
