import type { Agents } from '../../contract/agents/index.ts';
import type { Agent } from '../../contract/agent/index.ts';
import type { Contexts } from '../../contract/context/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { delegateTools } from './delegate-tools.ts';
import { askTool } from './ask-tool.ts';
import { contextTools } from './context-tools.ts';

export interface AgentServerParts {
  readonly version: string;
  readonly agent: Agent;
  readonly contexts: Contexts;
  readonly agents: Pick<Agents, 'delegate' | 'list'>;
}

/** The server `agent`: a message becomes a checked plan, a run and an answer. */
export function createAgentServer({
  version,
  agent,
  contexts,
  agents,
}: AgentServerParts): McpServer {
  return createToolboxServer({
    name: 'agent',
    title: 'Agent',
    version,
    instructions:
      'Takes requests in plain words: ask plans them with the tools of all servers, runs the plan and answers. A conversation goes on when its ' +
      'session is named. Effects are approved by people, never by a tool. Contexts are texts kept in versions that never change: name one in ask ' +
      'or run_plan. delegate has a specialist agent do a task in a run of its own; list_agents shows them.',
    tools: [askTool(agent), ...delegateTools(agents), ...contextTools(contexts)],
  });
}
