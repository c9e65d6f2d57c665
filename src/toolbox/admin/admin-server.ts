import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { FleetControl } from '../../contract/fleet/index.ts';
import type { EngineName, Workflows } from '../../contract/run/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { callToolTool, type CallToolParts } from './call-tool-tool.ts';
import { cancelTaskTool } from './cancel-task-tool.ts';
import { findToolsTool } from './find-tools-tool.ts';
import { getServerStatusTool } from './get-server-status-tool.ts';
import { getStatusTool } from './get-status-tool.ts';
import { listToolsTool } from './list-tools-tool.ts';
import type { ToolSearch } from './search/tool-search.ts';

export interface AdminServerParts {
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
