import { z } from 'zod';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { FleetControl } from '../../contract/fleet/index.ts';
import type { EngineName, Workflows } from '../../contract/run/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { type CallToolParts, callToolTool } from './call-tool-tool.ts';
import { UnknownServerError } from './errors.ts';
import { findToolsTool } from './find-tools-tool.ts';
import { getServerStatusTool } from './get-server-status-tool.ts';
import { getStatusTool } from './get-status-tool.ts';
import type { ToolSearch } from './search/tool-search.ts';
import texts from './tools.json' with { type: 'json' };

interface AdminServerParts {
  readonly version: string;
  /** The catalogue this server is itself a part of. */
  readonly catalogue: Catalogue;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly search: ToolSearch;
  readonly workflows: Pick<Workflows, 'list' | 'show' | 'cancel'>;
  /** What runs plans unless they say otherwise. */
  readonly engine: EngineName;
  /** The data directory. */
  readonly home: string;
  readonly innerArguments?: CallToolParts['innerArguments'];
}

const name = 'admin';

/** The server `admin`: what servers, tools and runs there are, and a way to find and call each tool. */
export function createAdminServer(parts: AdminServerParts): McpServer {
  const { version, catalogue, fleet, search, workflows, engine, home, innerArguments } = parts;
  const callTool = callToolTool({ catalogue, server: name, innerArguments });
  const server = createToolboxServer({
    name,
    title: 'Servers and tools',
    version,
    instructions: 'Find a tool with find_tools, then call it with call_tool.',
    tools: [
      findToolsTool(search),
      callTool,
      listToolsTool(catalogue),
      getServerStatusTool(fleet),
      getStatusTool({ version, fleet, workflows, engine, home }),
      cancelTaskTool(workflows),
    ],
    close: async () => stopFollowing(),
  });
  const stopFollowing = catalogue.onChange(({ kind }) => {
    if (kind === 'tools') search.refresh();
  });
  return {
    ...server,
    // Its failures are those of the tool it calls and stay what they are; the catalogue words them.
    callTool: (tool, args, context) =>
      tool === callTool.name ? callTool.call(args, context) : server.callTool(tool, args, context),
    // A task that a called tool became is named after this server and then after its own.
    ...(catalogue.request && {
      request: (method, params, context) =>
        catalogue.request?.(method, params, context) ?? Promise.resolve({}),
    }),
  };
}

const over: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** The tool `cancel_task`: ends a run before its end. */
function cancelTaskTool(workflows: Pick<Workflows, 'show' | 'cancel'>): DefinedTool {
  return defineTool({
    ...texts.cancel_task,
    input: z.strictObject({
      id: z.string().min(1).max(200).describe('Id of the run, which is the id of its task.'),
      reason: z.string().max(1_000).optional().describe('Why.'),
    }),
    output: z.object({
      id: z.string(),
      status: z.string().describe('Of the run, after this.'),
      wasOver: z.boolean().describe('True when there was nothing to cancel.'),
    }),
    run: async ({ id, reason }, { caller }) => {
      const { runId, status } = await workflows.show(caller, id);
      if (over.includes(status)) return { id: runId, status, wasOver: true };
      await workflows.cancel(caller, runId, reason);
      return { id: runId, status: (await workflows.show(caller, runId)).status, wasOver: false };
    },
    summarize: ({ id, status, wasOver }) =>
      wasOver ? `Run ${id} was over already: ${status}` : `Run ${id} is being cancelled: ${status}`,
  });
}

const defaultLimit = 50;
const maxLimit = 200;

const outputSchema = z.object({
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  total: z.int(),
  nextOffset: z.int().optional().describe('Where the next page begins; absent on the last.'),
});

/** The tool `list_tools`: names and purposes, page by page. */
function listToolsTool(catalogue: Pick<Catalogue, 'entries'>): DefinedTool {
  return defineTool({
    ...texts.list_tools,
    input: z.object({
      server: z.string().optional().describe('Just the tools of this server.'),
      offset: z.int().min(0).default(0).describe('Skip this many tools.'),
      limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('List at most this many.'),
    }),
    output: outputSchema,
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
