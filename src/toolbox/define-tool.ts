import { z } from 'zod';
import type { CallContext } from '../contract/server/index.ts';
import {
  examplesMetaKey,
  needsModelMetaKey,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
  type ToolResult,
} from '../contract/tool/index.ts';
import type { DeepReadonly } from '../kernel/index.ts';
import { describeIssues } from './describe-issues.ts';
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
  /** Without a model the result is a template only. */
  readonly needsModel?: boolean;
  /** The work. Load heavy engines in here (`await import(…)`), never at the top of the module. */
  readonly run: (
    input: z.output<Input>,
    context: CallContext,
  ) => Promise<DeepReadonly<z.input<Output>>>;
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

/** Arguments that the input schema does not name are refused: a mistyped one would silently do nothing. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  given: ToolSpec<Input, Output>,
): DefinedTool {
  const spec = { ...given, input: strict(given.input) };
  let declared: Tool | undefined;
  const declare = (): Tool => (declared ??= declareTool(spec));
  return {
    name: spec.name,
    declare,
    call: (args, context) => callTool(spec, declare, { args, context }),
  };
}

function strict<Input extends z.ZodType>(input: Input): Input {
  // The same object schema, which differs only in what it does with unknown keys.
  return input instanceof z.ZodObject ? (input.strict() as z.ZodType as Input) : input;
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
    _meta: {
      [examplesMetaKey]: spec.examples,
      ...(spec.needsModel === true && { [needsModelMetaKey]: true }),
    },
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
}

async function callTool<Input extends z.ZodType, Output extends z.ZodType>(
  spec: ToolSpec<Input, Output>,
  declare: () => Tool,
  { args, context }: { readonly args: unknown; readonly context: CallContext },
): Promise<ToolResult> {
  const input = spec.input.safeParse(args ?? {});
  if (!input.success) {
    const { inputSchema } = declare();
    throw new InvalidArgumentsError(
      spec.name,
      describeIssues(input.error, { value: args, schema: inputSchema }),
    );
  }
  const raw = await spec.run(input.data, context);
  const output = spec.output.safeParse(raw);
  if (!output.success) {
    throw new InvalidOutputError(spec.name, describeIssues(output.error, { value: raw }));
  }
  const text = spec.summarize?.(output.data) ?? JSON.stringify(output.data);
  return {
    content: [{ type: 'text', text }],
    // Output schemas are objects: MCP allows nothing else as structured content.
    structuredContent: output.data as Readonly<Record<string, unknown>>,
  };
}
