import { join } from 'node:path';
import {
  Connection,
  entryOf,
  notRemote,
  remoteAgent,
  remoteAgents,
  remoteAudit,
  remoteCatalogue,
  remoteContexts,
  remoteFeedback,
  remoteExperience,
  remoteFleet,
  remoteInstances,
  remoteKeys,
  remoteMemory,
  remoteMemoryItems,
  remoteModels,
  remoteWorkflows,
} from '../client/index.ts';
import { isLoopback } from '../http/index.ts';
import { ownVersion, Secret, silentLog } from '../kernel/index.ts';
import { formatExplanation, formatTrace } from '../observe/index.ts';
import { hideSecrets } from './check-code.ts';
import { readPrivate } from './data-directory.ts';
import { loadSettingsHere } from './settings.ts';
import type { System, SystemRequest } from './system.ts';

export interface RemoteRequest extends SystemRequest {
  /** Where `tutti serve` listens. */
  readonly server: string;
}

/** The system of a server behind its API, as commands use it. What belongs to a machine throws `client.not_remote`. */
export async function openRemoteSystem(request: RemoteRequest): Promise<System> {
  const settings = await loadSettingsHere(request);
  const token = tokenFor(request, settings.values.home);
  const connection = new Connection({ url: request.server, token });
  return notRemote<System>('This command', {
    settings,
    log: silentLog,
    version: ownVersion(),
    folder: async () => undefined,
    catalogue: notRemote<System['catalogue']>('This', remoteCatalogue(connection)),
    fleet: remoteFleet(connection),
    workflows: notRemote<System['workflows']>('This', remoteWorkflows(connection)),
    agent: remoteAgent(connection),
    agents: remoteAgents(connection),
    memory: remoteMemory(connection),
    contexts: remoteContexts(connection),
    feedback: remoteFeedback(connection),
    memoryItems: remoteMemoryItems(connection),
    experience: notRemote<System['experience']>('This', remoteExperience(connection)),
    models: notRemote<System['models']>('This', remoteModels(connection)),
    keys: remoteKeys(connection),
    audit: remoteAudit(connection),
    tenants: notRemote('Switching tenants off', {}),
    policy: notRemote('Explaining access', {}),
    hideSecrets,
    formatTrace,
    formatExplanation,
    preview: async () => undefined,
    localModels: { isNeeded: false, find: async () => [], decide: async () => {} },
    findTools: async (query, count) => {
      const found = await connection.call('getToolsFind', { query: { query, limit: count } });
      return found.items.map(entryOf);
    },
    traces: notRemote<System['traces']>('Searching and explaining traces', {
      find: async (id) => (await connection.call('getTracesById', { path: { id } })).spans as never,
      recent: async (limit) => (await connection.all('getTraces', {}, { limit })) as never,
    }),
    instances: remoteInstances(connection),
    alerts: notRemote<System['alerts']>('Alerts', { names: [] }),
    usage: notRemote<System['usage']>('Usage', { kinds: [] }),
    close: async () => {},
  });
}

/** `TUTTI_TOKEN`; for a server on this machine also the token it made for itself. */
function tokenFor({ server, env }: RemoteRequest, home: string): Secret | undefined {
  const given = env['TUTTI_TOKEN'];
  if (given !== undefined && given !== '') return new Secret(given);
  const { hostname } = new URL(server);
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ''))) return undefined;
  const own = readPrivate(join(home, 'serve-token'));
  return own === undefined ? undefined : new Secret(own);
}
