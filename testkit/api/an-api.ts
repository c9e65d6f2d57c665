import { onTestFinished } from 'vitest';
import { createApi, type Api, type ApiPorts } from '../../src/api/index.ts';
import type { Caller } from '../../src/contract/caller/index.ts';
import { startListener } from '../../src/http/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createFakeSystem } from '../cli/fake-system.ts';
import { anExperience } from '../memory/an-experience.ts';
import { aStore } from '../store/a-store.ts';
import { FakeWorkflows } from '../toolbox/workflow/fake-workflows.ts';
import { MemoryArtifacts } from '../toolbox/workflow/memory-artifacts.ts';

/** Callers by the token they present. */
export const callers: Readonly<Record<string, Caller>> = {
  anna: { id: 'acme/anna', tenant: 'acme', role: 'owner' },
  bob: { id: 'acme/bob', tenant: 'acme', role: 'developer' },
  vera: { id: 'acme/vera', tenant: 'acme', role: 'viewer' },
  sam: { id: 'other/sam', tenant: 'other', role: 'owner', scopes: ['fake.echo_*'] },
};

/** An API that takes longer hangs. */
const answerLimitMs = 30_000;

export interface ApiAsk {
  readonly method?: string;
  readonly path: string;
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look at answers of all kinds.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface AnApi {
  readonly url: string;
  send(ask: ApiAsk): Promise<ApiAnswer>;
}

/** Serves the ports on a listener of its own until the running test has finished. */
export async function serveApi(ports: ApiPorts): Promise<AnApi> {
  const api = await listenFor(createApi(ports));
  onTestFinished(() => api.close());
  return api;
}

/** An API on a listener of its own, where a token is the name of a caller. */
export async function listenFor(api: Api): Promise<AnApi & { close(): Promise<void> }> {
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: api.routes,
    identify: ({ headers }) => {
      const caller = callers[headers.authorization?.replace('Bearer ', '') ?? ''];
      return caller
        ? { kind: 'caller', caller }
        : { kind: 'refused', refusal: { status: 401, message: 'Who is it?' } };
    },
    isAuthenticated: true,
    log: silentLog,
  });
  const { url } = listener;
  return {
    url,
    close: async () => {
      await api.close();
      await listener.close();
    },
    async send({ method = 'GET', path, as = 'anna', body, headers }) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${as}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: AbortSignal.timeout(answerLimitMs),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, json };
    },
  };
}

/** Ports that answer from memory; only the answers of keyed requests are on disk. */
export async function fakePorts(): Promise<
  ApiPorts & { readonly workflows: FakeWorkflows; readonly memoryArtifacts: MemoryArtifacts }
> {
  const system = await (
    await createFakeSystem().compose()
  ).openSystem({ env: {}, cwd: '.', flags: {} });
  const memoryArtifacts = new MemoryArtifacts();
  const { version, agent, memory, memoryItems, models, fleet, catalogue, findTools, traces } =
    system;
  const { contexts, feedback } = system;
  return {
    version,
    log: silentLog,
    agent,
    memory,
    contexts,
    feedback,
    agents: Object(),
    memoryItems,
    experience: anExperience(),
    models,
    instances: system.instances,
    fleet,
    catalogue,
    findTools,
    workflows: new FakeWorkflows(),
    memoryArtifacts,
    artifacts: async () => memoryArtifacts,
    traces: {
      find: (_caller, id) => traces.find(id),
      recent: (_caller, limit) => traces.recent(limit),
    },
    summarizeUsage: async () => [],
    answers: aStore().answers,
  };
}

export async function anApi(ports: Partial<ApiPorts> = {}): Promise<AnApi> {
  return serveApi({ ...(await fakePorts()), ...ports });
}
