import { z } from 'zod';
import type { CallContext } from '../contract/server/index.ts';
import {
  examplesMetaKey,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
  type ToolResult,
} from '../contract/tool/index.ts';
import { InvalidArgumentsError, InvalidOutputError } from './errors.ts';

/** A tool of ours as its author writes it. */
export interface ToolSpec<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** Things a user might say when they want this tool. */
  readonly examples: readonly string[];
  /** The work. Load heavy engines in here (`await import(…)`), never at the top of the module. */
  readonly run: (input: z.output<Input>, context: CallContext) => Promise<z.input<Output>>;
  /** One or more lines for a person; without it the text is the structured content as JSON. */
  readonly summarize?: (output: z.output<Output>) => string;
}

/** A tool ready to be served: declaration and checked execution, types erased. */
export interface DefinedTool {
  readonly name: string;
  declare(): Tool;
  /** Parses the arguments, runs, parses the output. Throws what the tool throws. */
  call(args: unknown, context: CallContext): Promise<ToolResult>;
}

export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  spec: ToolSpec<Input, Output>,
): DefinedTool {
  let declared: Tool | undefined;
  return {
    name: spec.name,
    declare: () => (declared ??= declareTool(spec)),
    call: (args, context) => callTool(spec, args, context),
  };
}

function declareTool<Input extends z.ZodType, Output extends z.ZodType>(
  spec: ToolSpec<Input, Output>,
): Tool {
  return {
    name: spec.name,
    title: spec.title,
    description: spec.description,
    inputSchema: toJsonSchema(spec.input, 'input'),
    outputSchema: toJsonSchema(spec.output, 'output'),
    annotations: { title: spec.title, ...spec.annotations },
    _meta: { [examplesMetaKey]: spec.examples },
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
}

async function callTool<Input extends z.ZodType, Output extends z.ZodType>(
  spec: ToolSpec<Input, Output>,
  args: unknown,
  context: CallContext,
): Promise<ToolResult> {
  const input = spec.input.safeParse(args ?? {});
  if (!input.success) throw new InvalidArgumentsError(spec.name, describeIssues(input.error));
  const raw = await spec.run(input.data, context);
  const output = spec.output.safeParse(raw);
  if (!output.success) throw new InvalidOutputError(spec.name, describeIssues(output.error));
  const text = spec.summarize?.(output.data) ?? JSON.stringify(output.data);
  return {
    content: [{ type: 'text', text }],
    // Output schemas are objects: MCP allows nothing else as structured content.
    structuredContent: output.data as Readonly<Record<string, unknown>>,
  };
}

const maxIssuesShown = 10;

function describeIssues(error: z.ZodError): string[] {
  return error.issues
    .slice(0, maxIssuesShown)
    .map(
      (issue) => `${issue.path.length > 0 ? issue.path.join('.') : 'arguments'}: ${issue.message}`,
    );
}
