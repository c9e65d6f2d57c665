import type { Artifacts } from '../../contract/artifact/index.ts';
import { localCaller, type Caller } from '../../contract/caller/index.ts';
import type { Workflows } from '../../contract/run/index.ts';
import type { CallContext, McpServer, ServerChange } from '../../contract/server/index.ts';
import { failedToolResult, type ToolResult } from '../../contract/tool/index.ts';
import { reportError } from '../../kernel/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { artifactTemplates, listArtifacts, readArtifact, readArtifactTool } from './artifacts.ts';
import { checkPlanTool } from './check-plan-tool.ts';
import { getRunTool, listRunsTool } from './run-tools.ts';
import { runPlanInput, runPlanTool, startRun } from './run-plan-tool.ts';
import { RunTasks, taskExtensions, wantsTask } from './run-tasks.ts';

export interface WorkflowServerParts {
  readonly version: string;
  readonly workflows: Workflows;
  readonly artifacts: Artifacts;
  /** Whose artifacts `resources/list` shows, which names no caller; the local one when not given. */
  readonly listedFor?: Caller;
}

/**
 * The server `workflow`: checks plans and runs them durably. A call of `run_plan` may wait as long as
 * its run takes, approvals included, so time limits of calls must not apply to it.
 */
export function createWorkflowServer(parts: WorkflowServerParts): McpServer {
  const { version, workflows, artifacts, listedFor = localCaller } = parts;
  const listeners = new Set<(change: ServerChange) => void>();
  const onSettled = (): void => {
    for (const listener of listeners) listener({ kind: 'resources' });
  };
  const runPlan = runPlanTool({ workflows, artifacts, onSettled });
  const tasks = new RunTasks({ workflows, artifacts, onSettled });
  const server = createToolboxServer({
    name: 'workflow',
    title: 'Plans and runs',
    version,
    instructions:
      'Runs plans of tool calls durably: check_plan first, then run_plan; get_run tells how a run stands, read_artifact shows big outputs. ' +
      'Approvals are given by people, never by a tool.',
    tools: [
      checkPlanTool(workflows),
      runPlan,
      listRunsTool(workflows),
      getRunTool({ workflows, artifacts }),
      readArtifactTool(artifacts),
    ],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return {
    ...server,
    callTool: (name, args, context) =>
      name === runPlan.name && wantsTask(context)
        ? callAsTask(args, context)
        : server.callTool(name, args, context),
    listResources: () => listArtifacts(artifacts, listedFor),
    listResourceTemplates: async () => artifactTemplates,
    readResource: (uri, context) => readArtifact(artifacts, uri, context),
    request: (method, params, context) => tasks.request(method, params, context),
    extensions: () => taskExtensions,
  };

  /** Wrong arguments are answered at once, and so are those that say whether to wait, unless a task was asked for. */
  async function callAsTask(args: unknown, context: CallContext): Promise<ToolResult> {
    const request = runPlanInput.safeParse(args ?? {});
    const isAskedFor = context.extra?.['task'] !== undefined;
    if (!request.success || (request.data.wait !== undefined && !isAskedFor)) {
      return server.callTool(runPlan.name, args, context);
    }
    try {
      return await tasks.created(await startRun(parts, request.data, context), context);
    } catch (error) {
      context.signal.throwIfAborted();
      return failedToolResult(reportError(error));
    }
  }
}
