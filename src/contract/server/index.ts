import type { Caller } from '../caller/index.ts';
import type { Prompt, PromptResult } from '../prompt/index.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../resource/index.ts';
import type { Tool, ToolResult } from '../tool/index.ts';

/** What accompanies one request on its way to a server. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborts when the client cancels, the connection ends or the time limit passes. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is. Cheap to call often: the transport drops what nobody asked for. */
  readonly progress: (update: ProgressUpdate) => void;
  /** `_meta` of the request as it came (trace context, progress token …). */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What changed behind a server's back; `resource` names the one whose contents are new. */
export type ServerChange =
  | { readonly kind: 'tools' }
  | { readonly kind: 'prompts' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/** What a completion is for: an argument of a prompt or a variable of a resource template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompletionRequest {
  readonly reference: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/**
 * An MCP server, whoever runs it: a room of the toolbox in this process, or a child process or a
 * remote endpoint behind the fleet. Methods throw `AppError`s; `callTool` turns a tool's own
 * failure into a result with `isError`. What a server does not have it answers with an empty list.
 */
export interface McpServer {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions?: string;
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string, context: CallContext): Promise<readonly ResourceContents[]>;
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<PromptResult>;
  complete(request: CompletionRequest): Promise<Completion>;
  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: (change: ServerChange) => void): () => void;
  close(): Promise<void>;
}
