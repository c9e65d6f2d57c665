import type { PromptResult } from '../../contract/prompt/index.ts';
import type { ResourceResult } from '../../contract/resource/index.ts';
import type {
  CallContext,
  Completion,
  CompletionRequest,
  McpServer,
  ServerChange,
  ServerExtensions,
} from '../../contract/server/index.ts';
import type { Tool, ToolResult } from '../../contract/tool/index.ts';
import type { Clock, Log } from '../../kernel/index.ts';
import {
  findParamHeaders,
  isRecord,
  paramHeaders,
  rpcErrorCode,
  type Params,
} from '../../protocol/index.ts';
import { ChangeSubscription, WatchCounts } from './change-subscription.ts';
import { ServerRequestHandler, type ClientRoots } from './server-request-handler.ts';
import { UpstreamError } from './errors.ts';
import { extensionsOf } from './listed-shapes.ts';
import type { LinkEnd } from './link.ts';
import type { Negotiated } from './negotiate.ts';
import type { ProblemCounts } from './problem-counts.ts';
import type { Listed, ListName } from './read-list.ts';
import {
  extraMembers,
  jsonString,
  valueText,
  type DraftRequest,
  type Member,
} from './request-text.ts';
import { needsTask } from './run-as-task.ts';
import { routeNotification } from './route-notification.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { upstreamLimits } from './upstream-limits.ts';
import { UpstreamLists } from './upstream-lists.ts';
import { UpstreamRequests, type CallPolicy } from './upstream-requests.ts';

export interface UpstreamParts {
  /** Its name in the fleet, which may differ from its `serverInfo`. */
  readonly name: string;
  readonly connection: UpstreamConnection;
  readonly negotiated: Negotiated;
  readonly problems: ProblemCounts;
  readonly clientInfo: Params;
  readonly logLevel: { value: string | undefined };
  readonly clientRoots?: ClientRoots | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server behind one link, in either era. */
export class UpstreamServer implements McpServer {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions?: string;
  readonly negotiated: Negotiated;
  readonly #parts: UpstreamParts;
  readonly #connection: UpstreamConnection;
  readonly #requests: UpstreamRequests;
  readonly #lists: UpstreamLists;
  readonly #serverRequests: ServerRequestHandler;
  readonly #listeners = new Set<(change: ServerChange) => void>();
  readonly #watches: WatchCounts;
  readonly #subscription: ChangeSubscription | undefined;
  #listed: readonly Tool[] = [];
  #tools: ReadonlyMap<string, Tool> = new Map();

  constructor(parts: UpstreamParts) {
    const { connection, negotiated, problems } = parts;
    this.#parts = parts;
    this.#connection = connection;
    this.negotiated = negotiated;
    this.name = parts.name;
    this.title = negotiated.serverInfo.title ?? negotiated.serverInfo.name;
    this.version = negotiated.serverInfo.version;
    if (negotiated.instructions !== undefined) this.instructions = negotiated.instructions;
    const onProblem = (problem: string): void => problems.add(problem);
    this.#requests = new UpstreamRequests({
      server: parts.name,
      connection,
      negotiated,
      clientInfo: parts.clientInfo,
      onProblem,
      onNewSession: () => this.#restore(),
      log: parts.log,
    });
    const control = this.#requests.control.bind(this.#requests);
    this.#lists = new UpstreamLists({
      request: control,
      capabilities: () => negotiated.capabilities,
      onProblem,
      clock: parts.clock,
      server: parts.name,
    });
    this.#serverRequests = new ServerRequestHandler({
      server: parts.name,
      calls: () => connection.calls(),
      find: connection.find.bind(connection),
      orphaned: connection.orphaned,
      clientRoots: parts.clientRoots,
      scheduler: this.#requests.scheduler,
      era: negotiated.era,
      clock: parts.clock,
      reply: (text) => connection.reply(text),
      onProblem,
    });
    this.#watches = new WatchCounts((uri, isWatched) => this.#sendWatch(uri, isWatched));
    if (negotiated.era === 'stateless') {
      this.#subscription = new ChangeSubscription({
        capabilities: negotiated.capabilities,
        uris: () => this.#watches.uris,
        request: control,
        onGap: () => this.#announceAll(),
      });
    }
    this.#listen();
    this.#subscription?.refresh();
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  get protocolVersion(): string {
    return this.negotiated.protocolVersion;
  }

  get isOpen(): boolean {
    return this.#connection.end === undefined;
  }

  /** Resolves once the link has ended. */
  get ended(): Promise<LinkEnd> {
    return this.#connection.ended;
  }

  /** Pending requests, Tutti's own included. */
  get inFlight(): number {
    return this.#connection.inFlight;
  }

  get problems(): readonly string[] {
    return this.#parts.problems.list();
  }

  /** Time of the last message from the server, in milliseconds since the epoch. */
  get lastTrafficAt(): number {
    return this.#connection.lastTrafficAt;
  }

  /** Its requests do not name their call, so it receives one client's calls at a time. */
  get isExclusive(): boolean {
    return this.#requests.scheduler.isExclusive;
  }

  /** Expiry of a list according to the server's `ttlMs`; undefined before it was fetched. */
  listingFreshUntil(name: ListName): number | undefined {
    return this.#lists.freshUntil(name);
  }

  /** Resolves when the server responds. The stateless era has no `ping`. */
  async ping(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const method = this.negotiated.era === 'handshake' ? 'ping' : 'server/discover';
    await this.#requests.limited({ method, members: [] }, upstreamLimits.pingMs, signal);
  }

  async listTools(): Promise<readonly Tool[]> {
    const tools = await this.#lists.list('tools');
    if (tools !== this.#listed) this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#listed = tools;
    return tools;
  }

  callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
    if (!this.#mustKnowTools || this.#tools.has(name)) return this.#callTool(name, args, context);
    // If listing fails, the call is sent without that knowledge, and the server reports what is missing.
    return this.listTools().then(
      () => this.#callTool(name, args, context),
      () => this.#callTool(name, args, context),
    );
  }

  #callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
    const named: Member = ['name', jsonString(name)];
    const members: Member[] =
      args === undefined ? [named] : [named, ['arguments', valueText(args)]];
    const headers = this.#argumentHeaders(name, args);
    const draft: DraftRequest = headers
      ? { method: 'tools/call', members, subject: name, headers }
      : { method: 'tools/call', members, subject: name };
    const policy: CallPolicy = {
      list: 'content',
      what: `Tool "${name}"`,
      isRepeatable: context.mayRepeat === true,
      isTask: needsTask(this.#tools.get(name), context.extra),
    };
    // `content` is the only member that Tutti relies on.
    return this.#requests.call(draft, policy, context) as Promise<unknown> as Promise<ToolResult>;
  }

  listResources(): Promise<readonly Listed['resources'][]> {
    return this.#lists.list('resources');
  }

  listResourceTemplates(): Promise<readonly Listed['resourceTemplates'][]> {
    return this.#lists.list('resourceTemplates');
  }

  async readResource(uri: string, context: CallContext): Promise<ResourceResult> {
    const draft = {
      method: 'resources/read',
      members: [['uri', JSON.stringify(uri)]],
      subject: uri,
    } as const;
    const policy = { ...reading(draft.method), list: 'contents' } as const;
    return (await this.#requests.call(draft, policy, context)) as unknown as ResourceResult;
  }

  listPrompts(): Promise<readonly Listed['prompts'][]> {
    return this.#lists.list('prompts');
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<PromptResult> {
    const members: Member[] = [
      ['name', JSON.stringify(name)],
      ['arguments', valueText(args)],
    ];
    const draft = { method: 'prompts/get', members, subject: name };
    const policy = { ...reading(draft.method), list: 'messages' } as const;
    return (await this.#requests.call(draft, policy, context)) as unknown as PromptResult;
  }

  /** Empty for a server without completions. */
  async complete(request: CompletionRequest, context: CallContext): Promise<Completion> {
    const method = 'completion/complete';
    const members: Member[] = [
      ['ref', JSON.stringify(request.reference)],
      ['argument', JSON.stringify(request.argument)],
    ];
    if (request.context) members.push(['context', valueText(request.context)]);
    try {
      const { completion } = await this.#requests.call(
        { method, members },
        reading(method),
        context,
      );
      if (isRecord(completion) && Array.isArray(completion['values'])) {
        return completion as unknown as Completion;
      }
    } catch (error) {
      if (!isMethodNotFound(error)) throw error;
    }
    return { values: [] };
  }

  request(method: string, params: Params, context: CallContext): Promise<object> {
    const { taskId } = params;
    const draft = {
      method,
      members: extraMembers(params, ['_meta']),
      ...(typeof taskId === 'string' ? { subject: taskId } : {}),
    };
    const isRepeatable = /\/(?:get|list|result)$/.test(method);
    return this.#requests.call(
      draft,
      { what: `Request ${method}`, isRepeatable },
      { ...context, signal: context.signal, extra: {} },
    );
  }

  extensions(): ServerExtensions {
    return extensionsOf(this.negotiated);
  }

  async watchResource(uri: string): Promise<() => void> {
    return this.#watches.add(uri);
  }

  setLogLevel(level: string): void {
    this.#parts.logLevel.value = level;
    const { era, capabilities } = this.negotiated;
    if (era !== 'handshake' || !isRecord(capabilities['logging'])) return;
    this.#requests.sendInBackground({
      method: 'logging/setLevel',
      members: [['level', JSON.stringify(level)]],
    });
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#subscription?.close();
    await this.#connection.close();
  }

  #listen(): void {
    const connection = this.#connection;
    const parts = {
      server: this.name,
      calls: () => connection.calls(),
      find: connection.find.bind(connection),
      lists: this.#lists,
      emit: (change: ServerChange) => this.#emit(change),
      onCancelled: (id: unknown) => this.#serverRequests.cancel(id),
    };
    const stopFollowing =
      this.negotiated.era === 'handshake'
        ? this.#parts.clientRoots?.onChange(() => {
            connection.notify('notifications/roots/list_changed');
          })
        : undefined;
    connection.listen({
      onRequest: (request, during) => this.#serverRequests.answer(request, during),
      onNotification: (notification, during) => routeNotification(notification, during, parts),
      onClose: () => {
        stopFollowing?.();
        this.#serverRequests.close();
        this.#subscription?.close();
      },
    });
  }

  #sendWatch(uri: string, isWatched: boolean): void {
    if (this.#subscription) {
      this.#subscription.refresh();
      return;
    }
    const { resources } = this.negotiated.capabilities;
    if (!isRecord(resources) || resources['subscribe'] !== true) return;
    const method = isWatched ? 'resources/subscribe' : 'resources/unsubscribe';
    this.#requests.sendInBackground({ method, members: [['uri', JSON.stringify(uri)]] });
  }

  /** A new session has no subscriptions, and its lists may differ. */
  #restore(): void {
    for (const uri of this.#watches.uris) this.#sendWatch(uri, true);
    const level = this.#parts.logLevel.value;
    if (level !== undefined) this.setLogLevel(level);
    this.#announceAll();
  }

  #announceAll(): void {
    this.#lists.forgetAll();
    const { capabilities } = this.negotiated;
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      if (isRecord(capabilities[kind])) this.#emit({ kind });
    }
  }

  #emit(change: ServerChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Whether calls depend on the tool's definition: header parameters, or task-only tools. */
  get #mustKnowTools(): boolean {
    const { era, capabilities } = this.negotiated;
    return era === 'stateless' ? this.#connection.hasHeaders : isRecord(capabilities['tasks']);
  }

  #argumentHeaders(name: string, args: unknown): Record<string, string> | undefined {
    if (this.negotiated.era === 'handshake' || !this.#connection.hasHeaders) return undefined;
    const schema = this.#tools.get(name)?.inputSchema;
    return schema && paramHeaders(findParamHeaders(schema), args);
  }
}

function reading(method: string): CallPolicy {
  return { what: method, isRepeatable: true, isReading: true };
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof UpstreamError && error.rpc.code === rpcErrorCode.methodNotFound;
}
