import { z } from 'zod';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { UnknownServerError } from './errors.ts';

const defaultLimit = 50;
const maxLimit = 200;

const outputSchema = z.object({
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  total: z.int(),
  nextOffset: z.int().optional().describe('Where the next page begins; absent on the last.'),
});

/** The tool `list_tools`: names and purposes, page by page. */
export function listToolsTool(catalogue: Pick<Catalogue, 'entries'>): DefinedTool {
  return defineTool({
    name: 'list_tools',
    title: 'List the tools',
    description:
      'Lists the tools of all MCP servers, or of one, with a sentence about each, page by page. To find the tool ' +
      'for something use find_tools.',
    input: z.object({
      server: z.string().optional().describe('Just the tools of this server.'),
      offset: z.int().min(0).default(0).describe('Skip this many tools.'),
      limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('List at most this many.'),
    }),
    output: outputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'which tools do you have?',
      'list all tools of the filesystem server',
      'what can you do?',
    ],
    run: async ({ server, offset, limit }, { caller }) => {
      const all = await catalogue.entries(caller);
      const wanted = all.filter((entry) => server === undefined || entry.server === server);
      if (server !== undefined && wanted.length === 0) {
        throw new UnknownServerError(server, [...new Set(all.map((entry) => entry.server))]);
      }
      const end = offset + limit;
      return {
        tools: wanted.slice(offset, end).map(({ name, tool }) => ({
          name,
          description: firstSentence(tool.description ?? tool.title ?? ''),
        })),
        total: wanted.length,
        ...(end < wanted.length && { nextOffset: end }),
      };
    },
    summarize: ({ tools, total, nextOffset }) =>
      [
        ...tools.map(({ name, description }) => `${name}: ${description}`),
        nextOffset === undefined
          ? pluralize(total, 'tool')
          : `${pluralize(total, 'tool')}; the next page begins at offset ${nextOffset}`,
      ].join('\n'),
  });
}

const maxLength = 160;

/** The beginning of a description, as far as it fits into a line of a list. */
function firstSentence(text: string): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .trim();
  const end = line.search(/[.!?](?: |$)/);
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  return sentence.length <= maxLength ? sentence : `${sentence.slice(0, maxLength - 1)}…`;
}
