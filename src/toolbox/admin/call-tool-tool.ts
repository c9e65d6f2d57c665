import { z } from 'zod';
import type { Catalogue, CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { examplesMetaKey, type Tool, type ToolResult } from '../../contract/tool/index.ts';
import { AppError, nearest } from '../../kernel/index.ts';
import { InvalidArgumentsError } from '../errors.ts';
import type { DefinedTool } from '../define-tool.ts';
import { describeIssues } from '../describe-issues.ts';
import { RecursiveCallError, UnknownToolError } from './errors.ts';

const name = 'call_tool';
const title = 'Call a tool';
const finderName = 'find_tools';

const inputSchema = z.strictObject({
  name: z.string().min(1).max(500).describe('As find_tools and list_tools give it.'),
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('What the input schema of that tool asks for.'),
});

export interface CallToolParts {
  readonly catalogue: Pick<Catalogue, 'entries' | 'callTool'>;
  /** The server this tool is in. */
  readonly server: string;
  /** The arguments of the inner call, from those of the outer one as they came. */
  readonly innerArguments?: ((args: object) => object | undefined) | undefined;
}

/**
 * The tool `call_tool`: a call of any other. What comes back is that tool's own result, untouched;
 * progress, cancellation and questions to the client go through as if it had been called directly.
 */
export function callToolTool(parts: CallToolParts): DefinedTool {
  return {
    name,
    declare: () => declaration,
    call: (args, context) => callTool(parts, args, context),
  };
}

const declaration: Tool = {
  name,
  title,
  description:
    'Calls a tool of any MCP server by the name find_tools gave, with the arguments its input schema asks for, and ' +
    'returns its result.',
  inputSchema: z.toJSONSchema(inputSchema, { io: 'input', target: 'draft-2020-12' }),
  annotations: {
    title,
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  _meta: {
    [examplesMetaKey]: ['call the tool that was found', 'run a tool by its name with arguments'],
  },
};

async function callTool(
  { catalogue, server, innerArguments }: CallToolParts,
  args: unknown,
  context: CallContext,
): Promise<ToolResult> {
  const input = inputSchema.safeParse(args ?? {});
  if (!input.success) {
    const judged = { value: args, schema: declaration.inputSchema };
    throw new InvalidArgumentsError(name, describeIssues(input.error, judged));
  }
  const wanted = input.data.name;
  const entries = await catalogue.entries(context.caller);
  const isItself = (entry: CatalogueEntry): boolean =>
    entry.server === server && entry.tool.name === name && isNameOf(entry, wanted);
  if (entries.some(isItself)) throw new RecursiveCallError(wanted);
  const inner = innerArguments?.(Object(args)) ?? input.data.arguments;
  try {
    return await catalogue.callTool(wanted, inner, context);
  } catch (error) {
    const isUnknown = error instanceof AppError && error.details['kind'] === 'tool';
    if (!isUnknown || entries.some((entry) => isNameOf(entry, wanted))) throw error;
    const finder = entries.find(
      (entry) => entry.server === server && entry.tool.name === finderName,
    );
    throw new UnknownToolError(wanted, {
      similar: nearestTool(wanted, entries),
      finder: finder?.wireName ?? finderName,
    });
  }
}

function nearestTool(wanted: string, entries: readonly CatalogueEntry[]): string | undefined {
  const wireNames = new Map(
    entries.flatMap(({ tool, name: dotted, wireName }) =>
      [tool.name, dotted, wireName].map((written) => [written, wireName] as const),
    ),
  );
  return wireNames.get(nearest(wanted, wireNames.keys()) ?? '');
}

function isNameOf(entry: CatalogueEntry, wanted: string): boolean {
  return entry.name === wanted || entry.wireName === wanted;
}
