import type {
  CallContext,
  Completion,
  CompletionRequest,
  McpServer,
  ServerChange,
} from '../contract/server/index.ts';
import type { Prompt, PromptResult } from '../contract/prompt/index.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../contract/resource/index.ts';
import { failedToolResult, type Tool, type ToolResult } from '../contract/tool/index.ts';
import { reportError } from '../kernel/index.ts';
import type { DefinedTool } from './define-tool.ts';
import { NotFoundError } from './errors.ts';

/** The resources of a server that has some. */
export interface ResourceSource {
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string): Promise<readonly ResourceContents[]>;
}

/** The prompts of a server that has some, with completion of their arguments. */
export interface PromptSource {
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<PromptResult>;
}

export interface ToolboxServerParts {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools?: readonly DefinedTool[];
  readonly resources?: ResourceSource;
  readonly prompts?: PromptSource;
  readonly complete?: (request: CompletionRequest) => Promise<Completion>;
  readonly onChange?: (listener: (change: ServerChange) => void) => () => void;
  readonly close?: () => Promise<void>;
}

/** One of our own MCP servers, made of its parts. What it lacks it answers with empty lists. */
export function createToolboxServer(parts: ToolboxServerParts): McpServer {
  const tools = new Map((parts.tools ?? []).map((tool) => [tool.name, tool]));
  return {
    name: parts.name,
    title: parts.title,
    version: parts.version,
    instructions: parts.instructions,
    listTools: async () => [...tools.values()].map((tool): Tool => tool.declare()),
    callTool: async (name, args, context) => {
      const tool = tools.get(name);
      if (!tool) throw new NotFoundError('tool', name, [...tools.keys()]);
      return callDefinedTool(tool, args, context);
    },
    listResources: async () => parts.resources?.listResources() ?? [],
    listResourceTemplates: async () => parts.resources?.listResourceTemplates() ?? [],
    readResource: async (uri) => {
      if (!parts.resources) throw new NotFoundError('resource', uri, []);
      return { contents: await parts.resources.readResource(uri) };
    },
    listPrompts: async () => parts.prompts?.listPrompts() ?? [],
    getPrompt: async (name, args) => {
      if (!parts.prompts) throw new NotFoundError('prompt', name, []);
      return parts.prompts.getPrompt(name, args);
    },
    complete: async (request) => parts.complete?.(request) ?? { values: [] },
    onChange: (listener) => parts.onChange?.(listener) ?? (() => {}),
    close: async () => parts.close?.(),
  };
}

/** A tool's own failure becomes a result that says so; cancellation stays an exception. */
async function callDefinedTool(
  tool: DefinedTool,
  args: unknown,
  context: CallContext,
): Promise<ToolResult> {
  try {
    return await tool.call(args, context);
  } catch (error) {
    context.signal.throwIfAborted();
    return failedToolResult(reportError(error));
  }
}
