import { decideTool, ForbiddenError } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Catalogue, CatalogueEntry, ListingFailure } from '../../contract/catalogue/index.ts';
import type { Prompt, PromptResult } from '../../contract/prompt/index.ts';
import type { Resource, ResourceResult, ResourceTemplate } from '../../contract/resource/index.ts';
import type {
  CallContext,
  Completion,
  CompletionRequest,
  McpServer,
  ServerChange,
  ServerExtensions,
} from '../../contract/server/index.ts';
import { failedToolResult, type Tool, type ToolResult } from '../../contract/tool/index.ts';
import { AppError, nearest, reportError, type Log } from '../../kernel/index.ts';
import { wireName } from '../../protocol/index.ts';
import type { CallExecutor, ExecutorCall } from '../call-executor.ts';
import { ServerDisabledError, ToolQuarantinedError, UnknownNameError } from '../errors.ts';
import { ServerUnavailableError } from '../upstream/errors.ts';
import { CatalogueWatches } from './catalogue-watches.ts';
import type { FleetServer } from './fleet-server.ts';
import { describeServers } from './listing.ts';
import type { ServerRegistry } from './server-registry.ts';
import { keepingResults } from './result-cache.ts';
import { RouteFinder } from './route-finder.ts';
import { firstAnswer, routeResource } from './route-resource.ts';
import { outerTaskId, renameTasks, routeTasks } from './route-tasks.ts';
import { TaskOwners } from './task-owners.ts';

export interface CatalogueOptions {
  /** How it introduces itself. */
  readonly title: string;
  readonly version: string;
  readonly registry: ServerRegistry;
  readonly executor: CallExecutor;
  readonly setLogLevel: (level: string) => void;
  readonly close: () => Promise<void>;
  /** Records each call before it is sent; what it throws refuses the call. */
  readonly recordCall?: RecordCall | undefined;
  readonly recordOutcome?: RecordOutcome | undefined;
  readonly log: Log;
}

/** What is decided about a call; `refusal` is the rule where it is refused. */
export type RecordCall = (call: {
  readonly tool: string;
  readonly args: unknown;
  readonly context: CallContext;
  readonly refusal?: string;
}) => void;

/** How a call ended that was made: its result, or the error it ended with. */
export type RecordOutcome = (call: {
  readonly entry: CatalogueEntry;
  readonly args: unknown;
  readonly context: CallContext;
  readonly result?: ToolResult;
  readonly error?: unknown;
}) => void;

/** All servers of the fleet as one; the README lists the guarantees. */
export class FleetCatalogue implements Catalogue {
  readonly name = 'tutti';
  readonly title: string;
  readonly version: string;
  readonly #registry: ServerRegistry;
  readonly #executor: CallExecutor;
  readonly #options: CatalogueOptions;
  readonly #watches: CatalogueWatches;
  readonly #taskOwners = new TaskOwners();
  readonly #routes: RouteFinder;

  constructor(options: CatalogueOptions) {
    this.title = options.title;
    this.version = options.version;
    this.#registry = options.registry;
    this.#executor = options.executor;
    this.#options = options;
    this.#routes = new RouteFinder(options.registry, options.executor);
    this.#watches = new CatalogueWatches(options.registry, options.log);
    options.registry.onReplaced(() => this.#watches.follow());
  }

  /** The wire name of the tool `server.tool`, listed yet or not. */
  wireNameOf(name: string): string {
    const route = this.#registry.names.toolRoutes.get(name);
    const at = name.indexOf('.');
    return route?.entry.wireName ?? wireName(name.slice(0, at), name.slice(at + 1));
  }

  get instructions(): string {
    return describeServers(this.#registry.servers);
  }

  instructionsFor(caller: Caller): string {
    const visible = this.#routes.visibleTo(caller);
    const { servers } = this.#registry;
    return describeServers(visible ? servers.filter(visible.hasServer) : servers);
  }

  async entries(caller?: Caller): Promise<readonly CatalogueEntry[]> {
    await this.#registry.untilListed();
    return (this.#routes.visibleTo(caller) ?? this.#registry.names).entries;
  }

  failures(): readonly ListingFailure[] {
    return this.#registry.servers.flatMap(({ name, listingFailure }) =>
      listingFailure === undefined ? [] : [{ server: name, message: listingFailure }],
    );
  }

  unlisted(): readonly string[] {
    return this.#registry.servers.flatMap(({ name, listing }) => (listing ? [] : [name]));
  }

  /** The same array until something changed, for callers that see everything. */
  async listTools(caller?: Caller): Promise<readonly Tool[]> {
    await this.#registry.untilListed();
    const tools = this.#registry.show('tools', (names) => names.tools);
    const visible = this.#routes.visibleTo(caller);
    if (!visible) return tools;
    const wireNames = new Set(visible.entries.map(({ wireName: wire }) => wire));
    return tools.filter(({ name }) => wireNames.has(name));
  }

  async callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
    const known = this.#registry.names.toolRoutes.get(name);
    const disabled = known ? undefined : this.#registry.disabledOwner(name);
    if (disabled !== undefined) {
      return this.#refuse({ tool: name, args, context }, new ServerDisabledError(disabled));
    }
    const route = known ?? (await this.#routes.tool(name, context));
    const { server, entry } = route;
    this.#admit(name, entry, { args, context });
    const call = { tool: entry.name, args, context };
    if (route.isHeld) return this.#refuse(call, new ToolQuarantinedError(route));
    const { semaphore, timeoutMs, results } = server.options;
    const { entersSpans: entersSpan } = server.runner;
    const mayRepeat = context.mayRepeat !== false && isRepeatable(entry.tool);
    const send: ExecutorCall['work'] = (callContext, inSpan) =>
      server.runner.run({
        isRepeatable: mayRepeat,
        context: callContext,
        inSpan,
        work: (mcp) => mcp.callTool(entry.tool.name, args, callContext),
      });
    const kept = results ? keepingResults({ server, tool: entry.tool, args, send }, results) : send;
    const work: ExecutorCall['work'] = (callContext, inSpan) => {
      this.#options.recordCall?.({ tool: entry.name, args, context: callContext });
      return kept(callContext, inSpan);
    };
    try {
      const result = await this.#executor.run(
        { entry, semaphore, timeoutMs, entersSpan, mayRepeat, work },
        context,
      );
      this.#options.recordOutcome?.({ entry, args, context, result });
      return this.#outward(server, result, context.caller);
    } catch (error) {
      context.signal.throwIfAborted();
      if (this.#successorOf(server, error)) return this.callTool(name, args, context);
      if (error instanceof ServerUnavailableError && this.#registry.isDisabled(server.name)) {
        return this.#refuse(call, new ServerDisabledError(server.name));
      }
      this.#options.recordOutcome?.({ entry, args, context, error });
      // A protocol error from the server stays an error; failures on the way to it become results.
      const isOurs = error instanceof AppError && error.code !== 'fleet.upstream_error';
      if (isOurs) return failedToolResult(reportError(error));
      throw error;
    }
  }

  /** A call that is not made: recorded, and a result with `isError`. */
  #refuse(call: Omit<Parameters<RecordCall>[0], 'refusal'>, error: AppError): ToolResult {
    this.#options.recordCall?.({ ...call, refusal: error.code });
    return failedToolResult(reportError(error));
  }

  async listResources(caller?: Caller): Promise<readonly Resource[]> {
    await this.#registry.untilListed();
    const all = this.#registry.show('resources', (names) => names.resources);
    const { resourceRoutes } = this.#registry.names;
    return this.#routes.visibleTo(caller)?.ofServers(all, resourceRoutes, ({ uri }) => uri) ?? all;
  }

  async listResourceTemplates(caller?: Caller): Promise<readonly ResourceTemplate[]> {
    await this.#registry.untilListed();
    const all = this.#registry.show('resources', (names) => names.templates);
    const { templateRoutes: routes } = this.#registry.names;
    return this.#routes.visibleTo(caller)?.ofServers(all, routes, (one) => one.uriTemplate) ?? all;
  }

  /** Reads from the server that lists the uri, otherwise from the first candidate that has it. */
  async readResource(uri: string, context: CallContext): Promise<ResourceResult> {
    await this.#registry.untilListed();
    const visible = this.#routes.visibleTo(context.caller);
    const route = routeResource(this.#registry, uri, visible?.hasServer);
    const read = (server: FleetServer, address = uri): Promise<ResourceResult> =>
      this.#ask({ server, what: `Resource ${uri}` }, context, (mcp, limited) =>
        mcp.readResource(address, limited),
      );
    if (route.kind === 'listed') return read(route.server, route.uri);
    const result = await firstAnswer(route.servers, (server) => read(server), context.signal);
    if (!result) {
      const known = await this.listResources(context.caller);
      const uris = known.map((resource) => resource.uri);
      throw new UnknownNameError('resource', uri, nearest(uri, uris));
    }
    return result;
  }

  async listPrompts(caller?: Caller): Promise<readonly Prompt[]> {
    await this.#registry.untilListed();
    const all = this.#registry.show('prompts', (names) => names.prompts);
    const { promptRoutes } = this.#registry.names;
    return this.#routes.visibleTo(caller)?.ofServers(all, promptRoutes, ({ name }) => name) ?? all;
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<PromptResult> {
    const { server, prompt } = await this.#routes.prompt(name, context);
    return this.#ask({ server, what: `Prompt "${name}"` }, context, (mcp, limited) =>
      mcp.getPrompt(prompt.name, args, limited),
    );
  }

  async complete(request: CompletionRequest, context: CallContext): Promise<Completion> {
    const { reference } = request;
    if (reference.type === 'ref/prompt') {
      const { server, prompt } = await this.#routes.prompt(reference.name, context);
      const inner = { ...request, reference: { ...reference, name: prompt.name } };
      return this.#complete(server, inner, context);
    }
    await this.#registry.untilListed();
    const { templateRoutes, resourceRoutes } = this.#registry.names;
    const route = templateRoutes.get(reference.uri) ?? resourceRoutes.get(reference.uri);
    const visible = this.#routes.visibleTo(context.caller);
    if (!route || visible?.hasServer(route.server) === false) return { values: [] };
    const inner = { ...request, reference: { ...reference, uri: route.uri } };
    return this.#complete(route.server, inner, context);
  }

  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<object> {
    await this.#registry.untilListed();
    const isRepeatable = repeatableMethods.test(method);
    const { caller } = context;
    return routeTasks(this.#registry.servers, { method, params }, async (server, inner) => {
      // Ours know whose tasks they have, also after a restart.
      const isOurs = server.options.source === 'built-in';
      if (!isOurs) this.#taskOwners.check(params['taskId'], caller);
      const question = { server, what: method, isRepeatable };
      const answer = await this.#ask(question, context, async (mcp, limited) => {
        // A task that writes may have ended.
        server.results.clear();
        if (!mcp.request) throw new UnknownNameError('method', method);
        return mcp.request(method, inner, limited);
      });
      return isOurs || method !== 'tasks/list' ? answer : this.#taskOwners.ofCaller(answer, caller);
    });
  }

  extensions(): ServerExtensions {
    const all = this.#registry.servers.flatMap(({ listing }) => listing?.extensions ?? []);
    const tasks = all.findLast((it) => it.tasks !== undefined)?.tasks;
    const named = all.flatMap((it) => it.extensions ?? []);
    return {
      ...(tasks === undefined ? {} : { tasks }),
      ...(named.length === 0 ? {} : { extensions: Object.assign({}, ...named.toReversed()) }),
    };
  }

  watchResource(uri: string, caller?: Caller): Promise<() => void> {
    return this.#watches.add(
      uri,
      (server) => this.#routes.visibleTo(caller)?.hasServer(server) ?? true,
    );
  }

  setLogLevel(level: string): void {
    this.#options.setLogLevel(level);
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    return this.#registry.subscribe(listener);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** Throws unless the caller may call the tool. One out of its scope does not exist for it. */
  #admit(
    name: string,
    entry: CatalogueEntry,
    { args, context }: { readonly args: unknown; readonly context: CallContext },
  ): void {
    const { caller } = context;
    if (caller.role === undefined && caller.scopes === undefined) return;
    const { isAllowed, isHidden, permission, rule } = decideTool(caller, entry);
    if (isAllowed) return;
    this.#options.recordCall?.({ tool: entry.name, args, context, refusal: rule });
    if (isHidden) throw this.#routes.unknownTool(name, caller);
    throw new ForbiddenError(caller, { permission });
  }

  #complete(
    server: FleetServer,
    request: CompletionRequest,
    context: CallContext,
  ): Promise<Completion> {
    return this.#ask({ server, what: 'completion/complete' }, context, (mcp, limited) =>
      mcp.complete(request, limited),
    );
  }

  /** Sends a request to a server; read-only unless `isRepeatable` is false. */
  async #ask<Result extends object>(
    { server, what, isRepeatable = true }: Question,
    context: CallContext,
    work: (mcp: McpServer, context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs } = server.options;
    try {
      const result = await this.#executor.limit({ what, timeoutMs }, context, (limited) =>
        server.runner.run({
          isRepeatable,
          context: limited,
          work: (mcp) => work(mcp, limited),
        }),
      );
      return this.#outward(server, result, context.caller);
    } catch (error) {
      const successor = context.signal.aborted ? undefined : this.#successorOf(server, error);
      if (!successor) throw error;
      return this.#ask({ server: successor, what, isRepeatable }, context, work);
    }
  }

  /** The replacement of a server, for a request that did not reach the old one. */
  #successorOf(server: FleetServer, error: unknown): FleetServer | undefined {
    if (!(error instanceof ServerUnavailableError)) return undefined;
    const { servers } = this.#registry;
    return servers.includes(server) ? undefined : servers.find(({ name }) => name === server.name);
  }

  /** With several servers, task ids carry the name of their server. */
  #outward<Result extends object>(server: FleetServer, result: Result, caller: Caller): Result {
    const isOnly = this.#registry.servers.length === 1;
    const outward = isOnly ? result : renameTasks(result, (id) => outerTaskId(server.name, id));
    this.#taskOwners.note(outward, caller);
    return outward;
  }
}

interface Question {
  readonly server: FleetServer;
  readonly what: string;
  readonly isRepeatable?: boolean;
}

/** Pass-through methods that are read-only or idempotent. */
const repeatableMethods = /\/(?:get|list|result|cancel)$/;

function isRepeatable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
