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
  remotePolicy,
  remoteServerSwitch,
  remoteTenants,
  remoteWorkflows,
} from '../client/index.ts';
import { isLoopback } from '../http/index.ts';
import { ownVersion, Secret, silentLog } from '../kernel/index.ts';
import {
  builtInRules,
  formatExplanation,
  formatTrace,
  type SpanRecord,
  usageKinds,
} from '../observe/index.ts';
import { hideSecrets } from './check-code.ts';
import { readPrivate } from './data-directory.ts';
import { loadSettingsHere } from './settings.ts';
import type { System, SystemRequest } from './system.ts';

const microsecondsPerMs = 1_000;

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
    tenants: remoteTenants(connection),
    policy: remotePolicy(connection),
    switchServer: remoteServerSwitch(connection),
    hideSecrets,
    formatTrace,
    formatExplanation,
    preview: async () => undefined,
    localModels: { isNeeded: false, find: async () => [], decide: async () => {} },
    findTools: async (query, count) => {
      const found = await connection.call('getToolsFind', { query: { query, limit: count } });
      return found.items.map(entryOf);
    },
    traces: remoteTraces(connection),
    instances: remoteInstances(connection),
    alerts: notRemote<System['alerts']>('Alerts', {
      names: builtInRules.map(({ name }) => name),
    }),
    usage: {
      kinds: usageKinds,
      summarize: async ({ by, sinceMs }) => {
        const seconds = Math.max(1, Math.ceil((Date.now() - sinceMs) / 1_000));
        return (await connection.call('getUsageCalls', { query: { by, seconds } })).items;
      },
    },
    close: async () => {},
  });
}

function remoteTraces(connection: Connection): System['traces'] {
  const recent: System['traces']['recent'] = async (limit) => {
    const traces = await connection.all('getTraces', {}, { limit });
    return traces.map(({ startedAt, durationMs, ...trace }) => ({
      ...trace,
      ...timesOf({ startedAt, durationMs }),
    }));
  };
  return notRemote<System['traces']>('Searching and explaining traces', {
    recent,
    find: async (wanted) => {
      const id = wanted === 'last' ? ((await recent(1))[0]?.traceId ?? wanted) : wanted;
      const { traceId, spans } = await connection.call('getTracesById', { path: { id } });
      return spans.map(({ startedAt, durationMs, parentSpanId, statusMessage, ...span }) => ({
        ...span,
        ...timesOf({ startedAt, durationMs }),
        traceId,
        ...(parentSpanId !== null && { parentSpanId }),
        ...(statusMessage !== null && { statusMessage }),
        callerId: '',
        // The document is made from the schema of spans.
        kind: span.kind as SpanRecord['kind'],
        attributes: span.attributes as SpanRecord['attributes'],
      }));
    },
  });
}

function timesOf({ startedAt, durationMs }: { startedAt: string; durationMs: number }) {
  const startedAtUs = Date.parse(startedAt) * microsecondsPerMs;
  return { startedAtUs, durationUs: Math.round(durationMs * microsecondsPerMs) };
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
