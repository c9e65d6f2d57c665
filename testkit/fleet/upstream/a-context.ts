import { localCaller } from '../../../src/contract/caller/index.ts';
import type {
  CallContext,
  ClientPort,
  ClientRequest,
  ProgressUpdate,
} from '../../../src/contract/server/index.ts';
import { silentLog } from '../../../src/kernel/index.ts';
import type { Params } from '../../../src/protocol/index.ts';
import {
  connectUpstream,
  type ConnectOptions,
} from '../../../src/fleet/upstream/connect-upstream.ts';
import type { UpstreamServer } from '../../../src/fleet/upstream/upstream-server.ts';
import type { ScriptedServer } from './scripted-server.ts';

export const clientInfo = { name: 'tutti', version: '0.1.0' };

export function aContext(parts: Partial<CallContext> = {}): CallContext {
  const signal = new AbortController().signal;
  return { caller: localCaller, signal, progress: () => {}, meta: {}, ...parts };
}

/** A context that requests progress, and records it. */
export function aProgressContext(): { context: CallContext; updates: ProgressUpdate[] } {
  const updates: ProgressUpdate[] = [];
  const context = aContext({
    meta: { progressToken: 'of the caller' },
    progress: (update) => updates.push(update),
  });
  return { context, updates };
}

export interface RecordedClient extends ClientPort {
  readonly asked: ClientRequest[];
  readonly told: { method: string; params: Params }[];
}

export interface ClientTraits {
  readonly era?: ClientPort['era'];
  readonly peer?: string;
  readonly capabilities?: Params;
  readonly answer?: (request: ClientRequest, signal: AbortSignal) => Promise<Params>;
}

/** A client that records requests and notifications. */
export function aClient(id: string, traits: ClientTraits = {}): RecordedClient {
  const asked: ClientRequest[] = [];
  const told: { method: string; params: Params }[] = [];
  return {
    id,
    era: traits.era ?? 'handshake',
    peer: traits.peer,
    capabilities: traits.capabilities ?? { elicitation: {}, sampling: {}, roots: {} },
    ask: (request, signal) => {
      asked.push(request);
      return traits.answer?.(request, signal) ?? Promise.resolve({ action: 'accept', of: id });
    },
    notify: (method, params) => told.push({ method, params }),
    asked,
    told,
  };
}

export function connectTo(
  server: ScriptedServer,
  options: Partial<ConnectOptions> = {},
): Promise<UpstreamServer> {
  return connectUpstream({
    name: 'scripted',
    openLink: server.openLink,
    timeoutMs: 5_000,
    log: silentLog,
    clientInfo,
    ...options,
  });
}
