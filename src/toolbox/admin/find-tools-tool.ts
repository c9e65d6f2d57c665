import { z } from 'zod';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import type { ToolSearch } from './search/tool-search.ts';
import texts from './tools.json' with { type: 'json' };

const defaultCount = 5;
const maxCount = 20;
const maxQueryChars = 1_000;

const schemaOfTool = z.record(z.string(), z.unknown());

const outputSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string().describe('What call_tool takes.'),
      wireName: z.string().describe('Its name in tools/call.'),
      server: z.string(),
      description: z.string(),
      inputSchema: schemaOfTool,
      outputSchema: schemaOfTool.optional(),
      score: z.number(),
      reason: z.string(),
    }),
  ),
  rankedBy: z
    .enum(['words', 'words and meaning'])
    .describe('Meaning joins in when words do not say enough.'),
});

/** The tool `find_tools`: the tools for something, with what is needed to call them. */
export function findToolsTool(search: Pick<ToolSearch, 'find'>): DefinedTool {
  return defineTool({
    ...texts.find_tools,
    input: z.object({
      query: z.string().min(1).max(maxQueryChars).describe('What is to be done.'),
      k: z.int().min(1).max(maxCount).default(defaultCount).describe('How many tools at most.'),
    }),
    output: outputSchema,
    run: async ({ query, k }, { signal, caller }) => {
      const { tools, rankedBy } = await search.find({ query, count: k, signal, caller });
      return {
        tools: tools.map(({ entry, score, reason }) => ({
          name: entry.name,
          wireName: entry.wireName,
          server: entry.server,
          description: entry.tool.description ?? entry.tool.title ?? '',
          inputSchema: { ...entry.tool.inputSchema },
          ...(entry.tool.outputSchema && { outputSchema: { ...entry.tool.outputSchema } }),
          score: Number(score.toFixed(3)),
          reason: reason(),
        })),
        rankedBy,
      };
    },
  });
}
