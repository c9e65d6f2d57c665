import type { AuditFace } from '../access/index.ts';
import type { Caller } from '../caller/index.ts';
import type { Prompt, PromptResult } from '../prompt/index.ts';
import type { Resource, ResourceResult, ResourceTemplate } from '../resource/index.ts';
import type { Tool, ToolResult } from '../tool/index.ts';

/** What accompanies one request on its way to a server. */
export interface CallContext {
  readonly caller: Caller;
  /** Where the request came in, for the audit log; absent for steps of runs and calls of the agent. */
  readonly face?: AuditFace;
  /** Aborts when the client cancels, the connection ends or the time limit passes. */
  readonly signal: AbortSignal;
  /** The same without a signal, which costs more than the rest of a short call; not everyone gives it. */
  readonly abort?: CallAbort;
  /** Reports the progress of the call. Cheap to call often: the transport drops reports that were not requested. */
  readonly progress: (update: ProgressUpdate) => void;
  /** Suspends the time limit of the call until this settles, because a person is asked; not everyone gives it. */
  readonly suspendLimit?: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Records facts about the call in its trace; absent where none is kept. */
  readonly annotate?: (facts: CallFacts) => void;
  /** `_meta` of the request as it came (trace context, progress token …). */
  readonly meta: Readonly<Record<string, unknown>>;
  /**
   * Whether the call may be sent again when its answer is lost. `false` from the caller rules it out; else
   * it is what is known of the tool.
   */
  readonly mayRepeat?: boolean;
  /** The program at the other end, when it can be asked things while the request runs. */
  readonly client?: ClientPort;
  /**
   * Members of the request's params that the method does not model (`task`, `inputResponses`,
   * `requestState`), for servers that understand them. A caller that sends any accepts deferred results.
   */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Facts about a call by name: `tutti.sandbox.reason`. */
export type CallFacts = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Whether a call was cancelled, and the listeners for that. */
export interface CallAbort {
  readonly isAborted: boolean;
  readonly reason: unknown;
  /** Created on first use. */
  readonly signal: AbortSignal;
  /** Calls `watcher` once, when it is aborted after this. */
  watch(watcher: () => void): void;
  unwatch(watcher: () => void): void;
}

/** The client a request came from, as far as a server may turn to it. */
export interface ClientPort {
  /** The same for all requests of one client; in the stateless era, of one request and its retries. */
  readonly id: string;
  readonly era: 'handshake' | 'stateless';
  /** The same for all requests of a connection that belongs to one client; otherwise `id` distinguishes clients. */
  readonly peer?: string | undefined;
  /** What the client says it can do: `{ elicitation: {}, sampling: {}, roots: {} }`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks the client (`elicitation/create`, `sampling/createMessage`, `roots/list`) and gives its
   * result. Throws `ClientRefusedError` when the client answers with an error or cannot be asked.
   */
  ask(request: ClientRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Sends the client a message that belongs to this request (`notifications/message`). */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

export interface ClientRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** What programs may want to know of it beside the message. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What changed behind a server's back; `resource` names the one whose contents are new. */
export type ServerChange =
  | { readonly kind: 'tools' }
  | { readonly kind: 'prompts' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  /** A log message of a server that belongs to no call: params of `notifications/message`. */
  | { readonly kind: 'log'; readonly params: Readonly<Record<string, unknown>> };

/** What a completion is for: an argument of a prompt or a variable of a resource template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompletionRequest {
  readonly reference: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** What is known besides, as the client sent it: `arguments` holds the values chosen before. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export interface ServerExtensions {
  /** `capabilities.tasks` of the handshake era. */
  readonly tasks?: Readonly<Record<string, unknown>>;
  /** `capabilities.extensions` of the stateless era, by extension name. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/**
 * An MCP server, wherever it runs: a room of the toolbox in this process, or a child process or a
 * remote endpoint behind the fleet. Methods throw `AppError`s; `callTool` turns a tool's own
 * failure into a result with `isError`. What a server does not have it answers with an empty list.
 */
export interface McpServer {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions?: string;
  /** The instructions for a caller that does not see everything. */
  instructionsFor?(caller: Caller): string;
  /** Lists have what this caller may see; without one, everything. */
  listTools(caller?: Caller): Promise<readonly Tool[]>;
  callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
  listResources(caller?: Caller): Promise<readonly Resource[]>;
  listResourceTemplates(caller?: Caller): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string, context: CallContext): Promise<ResourceResult>;
  listPrompts(caller?: Caller): Promise<readonly Prompt[]>;
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<PromptResult>;
  complete(request: CompletionRequest, context: CallContext): Promise<Completion>;
  /** Passes on a request the other methods do not model (`tasks/get` …), params and result untouched. */
  request?(
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<object>;
  /** What it offers beyond the methods above, in the words each era uses in its capabilities. */
  extensions?(): ServerExtensions;
  /** Subscribes to changes of this resource, reported by `onChange`, until the returned function is called. */
  watchResource?(uri: string, caller?: Caller): Promise<() => void>;
  /** The least severe log messages any client wants (`debug` … `emergency`). */
  setLogLevel?(level: string): void;
  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: (change: ServerChange) => void): () => void;
  close(): Promise<void>;
}
