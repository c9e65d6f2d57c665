import type { Caller } from '../contract/caller/index.ts';
import type {
  CallContext,
  Completion,
  CompletionReference,
  CompletionRequest,
  McpServer,
  ProgressUpdate,
} from '../contract/server/index.ts';
import type { Tool } from '../contract/tool/index.ts';
import { onceFor } from '../kernel/index.ts';
import { asObjectSchema, isRecord, type Params } from '../protocol/index.ts';
import { offersTasks } from './capabilities.ts';
import type { RequestClient } from './request-client.ts';
import { invalidParams, isNotFound, unknownMethod } from './rpc-failure.ts';
import type { RunningRequest } from './requests-in-flight.ts';

/** One running request: its caller, abort, `_meta` and client. */
export interface Exchange {
  readonly caller: Caller;
  readonly running: RunningRequest;
  readonly meta: Params;
  readonly client: RequestClient;
}

export type Method = (params: Params, exchange: Exchange) => Promise<object>;

/** The methods shared by both eras. */
export function createMethods(server: McpServer): ReadonlyMap<string, Method> {
  const forHandshake = onceFor(handshakeTools);
  return new Map<string, Method>([
    [
      'tools/list',
      async ({ cursor }, { client, caller }) => {
        const tools = await server.listTools(caller);
        return listed('tools', client.era === 'handshake' ? forHandshake(tools) : tools, cursor);
      },
    ],
    ['tools/call', (params, exchange) => callTool(server, params, exchange)],
    [
      'resources/list',
      async ({ cursor }, { caller }) =>
        listed('resources', await server.listResources(caller), cursor),
    ],
    [
      'resources/templates/list',
      async ({ cursor }, { caller }) =>
        listed('resourceTemplates', await server.listResourceTemplates(caller), cursor),
    ],
    ['resources/read', (params, exchange) => readResource(server, params, exchange)],
    [
      'prompts/list',
      async ({ cursor }, { caller }) => listed('prompts', await server.listPrompts(caller), cursor),
    ],
    ['prompts/get', (params, exchange) => getPrompt(server, params, exchange)],
    ['completion/complete', (params, exchange) => complete(server, params, exchange)],
    ...taskMethods.map((name): [string, Method] => [
      name,
      (params, exchange) => passOn(server, { name, params }, exchange),
    ]),
  ]);
}

/** The task methods of both eras; servers refuse those they do not support. */
const taskMethods = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update'];

function passOn(
  server: McpServer,
  { name, params }: { readonly name: string; readonly params: Params },
  exchange: Exchange,
): Promise<object> {
  if (!server.request || !offersTasks(server, exchange.client.era)) throw unknownMethod(name);
  return server.request(name, params, callContext(params, exchange));
}

/** Results of the handshake era are objects: output schemas of other types are left out. */
function handshakeTools(tools: readonly Tool[]): readonly Tool[] {
  if (tools.every(({ outputSchema }) => !outputSchema || outputSchema['type'] === 'object')) {
    return tools;
  }
  return tools.map((tool) => {
    const { outputSchema, ...rest } = tool;
    const object = outputSchema && asObjectSchema(outputSchema);
    return object ? { ...rest, outputSchema: object } : rest;
  });
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
  return server.callTool(readString(params, 'name'), args, callContext(params, exchange));
}

function readResource(server: McpServer, params: Params, exchange: Exchange): Promise<object> {
  return server.readResource(readString(params, 'uri'), callContext(params, exchange));
}

function getPrompt(server: McpServer, params: Params, exchange: Exchange): Promise<object> {
  const args = params['arguments'] ?? {};
  if (!isStrings(args)) throw invalidParams('params.arguments must be an object of strings');
  return server.getPrompt(readString(params, 'name'), args, callContext(params, exchange));
}

/** The MCP limit of values in one completion. */
const maxCompletionValues = 100;

async function complete(server: McpServer, params: Params, exchange: Exchange): Promise<object> {
  const argument = params['argument'];
  if (!isRecord(argument)) throw invalidParams('params.argument must be an object');
  const request = {
    reference: readReference(params['ref']),
    argument: { name: readString(argument, 'name'), value: readString(argument, 'value') },
    ...completionContext(params['context']),
  };
  const completion = await completionOf(server, request, callContext(params, exchange));
  if (completion.values.length <= maxCompletionValues) return { completion };
  const values = completion.values.slice(0, maxCompletionValues);
  return { completion: { total: completion.values.length, ...completion, values, hasMore: true } };
}

function completionContext(context: unknown): Pick<CompletionRequest, 'context'> {
  if (context === undefined) return {};
  const isGood = isRecord(context) && isStrings(context['arguments'] ?? {});
  if (!isGood) throw invalidParams('params.context.arguments must be an object of strings');
  return { context };
}

/** No completions for an unknown reference. */
async function completionOf(
  server: McpServer,
  request: CompletionRequest,
  context: CallContext,
): Promise<Completion> {
  try {
    return await server.complete(request, context);
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

function callContext(params: Params, exchange: Exchange): CallContext {
  return new RequestContext(exchange, extraOf(params));
}

/**
 * A class, so that the AbortSignal is created only where it is read. `progress` is initialized where it is
 * declared: V8 allocates a function that a constructor assigns in the old generation, which would retain the
 * whole request until a full collection.
 */
class RequestContext implements CallContext {
  readonly caller: Caller;
  readonly face = 'mcp';
  readonly abort: RunningRequest;
  readonly meta: Params;
  readonly client: RequestClient;
  readonly progress = (update: ProgressUpdate): void => this.client.progress(update);
  readonly extra?: Params;

  constructor({ caller, running, meta, client }: Exchange, extra: Params | undefined) {
    this.caller = caller;
    this.abort = running;
    this.meta = meta;
    this.client = client;
    if (extra) this.extra = extra;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }
}

/** Params members for deferred results, passed on to servers that support them. */
const extraMembers = ['task', 'inputResponses', 'requestState'] as const;

function extraOf(params: Params): Params | undefined {
  const { task, inputResponses, requestState } = params;
  if (task === undefined && inputResponses === undefined && requestState === undefined) {
    return undefined;
  }
  if (inputResponses !== undefined && !isResponses(inputResponses)) {
    throw invalidParams('params.inputResponses must be an object of objects');
  }
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw invalidParams('params.requestState must be a string');
  }
  const given = extraMembers.filter((name) => params[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, params[name]]));
}

function isResponses(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord);
}

/** Large enough for clients without paging, small enough to bound a response. */
const pageSize = 1_000;

const cursorPattern = /^[1-9][0-9]{0,8}$/;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: { readonly nextCursor?: string };
}

/** One page of a list. A cursor is the index of its first item, so it stays valid between calls. */
export function pageOf<Item>(items: readonly Item[], cursor: unknown): Page<Item> {
  const start = readCursor(cursor);
  if (start > 0 && start >= items.length) {
    throw invalidParams('params.cursor is not one that an earlier page ended with');
  }
  const end = start + pageSize;
  return {
    items: start === 0 && items.length <= pageSize ? items : items.slice(start, end),
    next: end < items.length ? { nextCursor: String(end) } : {},
  };
}

function readCursor(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor !== 'string' || !cursorPattern.test(cursor)) {
    throw invalidParams('params.cursor is not one that an earlier page ended with');
  }
  return Number(cursor);
}
