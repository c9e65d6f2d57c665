import { localCaller } from '../contract/caller/index.ts';
import type {
  CallContext,
  Completion,
  CompletionReference,
  CompletionRequest,
  McpServer,
  ProgressUpdate,
} from '../contract/server/index.ts';
import { encodeNotification, isRecord, type Params } from '../protocol/index.ts';
import { pageOf } from './page.ts';
import { invalidParams, isNotFound } from './rpc-failure.ts';

/** One request on its way: how it may be stopped, what came with it, and where its progress goes. */
export interface Exchange {
  readonly signal: AbortSignal;
  readonly meta: Params;
  /** Sends a notification that belongs to this request; a no-op once the request is answered. */
  readonly notify: (text: string) => void;
}

export type Method = (params: Params, exchange: Exchange) => Promise<object>;

/** The methods that mean the same in both eras. */
export function createMethods(server: McpServer): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ['tools/list', async ({ cursor }) => listed('tools', await server.listTools(), cursor)],
    ['tools/call', (params, exchange) => callTool(server, params, exchange)],
    [
      'resources/list',
      async ({ cursor }) => listed('resources', await server.listResources(), cursor),
    ],
    [
      'resources/templates/list',
      async ({ cursor }) =>
        listed('resourceTemplates', await server.listResourceTemplates(), cursor),
    ],
    ['resources/read', (params, exchange) => readResource(server, params, exchange)],
    ['prompts/list', async ({ cursor }) => listed('prompts', await server.listPrompts(), cursor)],
    ['prompts/get', (params) => getPrompt(server, params)],
    ['completion/complete', (params) => complete(server, params)],
  ]);
}

function listed(member: string, all: readonly unknown[], cursor: unknown): object {
  const { items, next } = pageOf(all, cursor);
  return { [member]: items, ...next };
}

function callTool(server: McpServer, params: Params, exchange: Exchange): Promise<object> {
  const args = params['arguments'];
  if (args !== undefined && !isRecord(args)) {
    throw invalidParams('params.arguments must be an object');
  }
  return server.callTool(readString(params, 'name'), args, callContext(exchange));
}

async function readResource(
  server: McpServer,
  params: Params,
  exchange: Exchange,
): Promise<object> {
  return {
    contents: await server.readResource(readString(params, 'uri'), callContext(exchange)),
  };
}

function getPrompt(server: McpServer, params: Params): Promise<object> {
  const args = params['arguments'] ?? {};
  if (!isStrings(args)) throw invalidParams('params.arguments must be an object of strings');
  return server.getPrompt(readString(params, 'name'), args);
}

/** MCP allows no more values than this in one answer. */
const maxCompletionValues = 100;

async function complete(server: McpServer, params: Params): Promise<object> {
  const argument = params['argument'];
  if (!isRecord(argument)) throw invalidParams('params.argument must be an object');
  const completion = await completionOf(server, {
    reference: readReference(params['ref']),
    argument: { name: readString(argument, 'name'), value: readString(argument, 'value') },
  });
  if (completion.values.length <= maxCompletionValues) return { completion };
  const values = completion.values.slice(0, maxCompletionValues);
  return { completion: { total: completion.values.length, ...completion, values, hasMore: true } };
}

/** Nothing is known that could complete what does not exist. */
async function completionOf(server: McpServer, request: CompletionRequest): Promise<Completion> {
  try {
    return await server.complete(request);
  } catch (error) {
    if (isNotFound(error)) return { values: [] };
    throw error;
  }
}

function readReference(ref: unknown): CompletionReference {
  if (isRecord(ref)) {
    const type = ref['type'];
    if (type === 'ref/prompt') return { type, name: readString(ref, 'name') };
    if (type === 'ref/resource') return { type, uri: readString(ref, 'uri') };
  }
  throw invalidParams('params.ref.type must be "ref/prompt" or "ref/resource"');
}

export function readString(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(`"${name}" must be a string`);
  return value;
}

function isStrings(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((member) => typeof member === 'string');
}

function callContext(exchange: Exchange): CallContext {
  const { signal, meta, notify } = exchange;
  return { caller: localCaller, signal, meta, progress: progressSender(meta, notify) };
}

const ignoreProgress = (): void => {};

function progressSender(
  meta: Params,
  notify: Exchange['notify'],
): (update: ProgressUpdate) => void {
  const progressToken = meta['progressToken'];
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return ignoreProgress;
  return (update) =>
    notify(encodeNotification('notifications/progress', { ...update, progressToken }));
}
