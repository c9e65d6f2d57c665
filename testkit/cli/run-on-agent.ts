import type { AskRequest } from '../../src/contract/agent/index.ts';
import type { LocalModel, Models } from '../../src/contract/model/index.ts';
import type { RunView } from '../../src/contract/run/index.ts';
import type { Session } from '../../src/contract/session/index.ts';
import { createFakeAgent, type Scene } from './fake-agent.ts';
import { createFakeMemory } from './fake-memory.ts';
import { createFakeSystem } from './fake-system.ts';
import { createFakeWorkflows, type WorkflowCall } from './fake-workflows.ts';
import { runMain, type Ran, type RunOptions } from './run-main.ts';

export interface RanAgent extends Ran {
  readonly requests: readonly Omit<AskRequest, 'caller'>[];
  readonly calls: readonly WorkflowCall[];
}

export interface AgentOptions extends RunOptions {
  readonly scenes?: readonly Scene[];
  readonly views?: readonly RunView[];
  readonly sessions?: readonly Session[];
  readonly models?: Models;
  /** A model server found on this machine that nobody has decided about. */
  readonly found?: LocalModel;
}

/** Runs a command line on an agent that plays scenes. */
export async function tuttiWithAgent(
  argv: readonly string[],
  { scenes, views, sessions, models, found, ...options }: AgentOptions = {},
): Promise<RanAgent> {
  const { agent, requests } = createFakeAgent(scenes);
  const { workflows, calls } = createFakeWorkflows(views);
  const memory = createFakeMemory(sessions);
  const compose = await createFakeSystem().compose();
  const openSystem: typeof compose.openSystem = async (wanted) => {
    const system = await compose.openSystem(wanted);
    const draw = async (): Promise<string> => 'one  fake.echo_all\n';
    const settings = { ...system.settings, warnings: [] };
    return {
      ...system,
      settings,
      agent,
      memory,
      workflows: { ...workflows, draw },
      ...(models && { models }),
      ...(found && {
        localModels: { isNeeded: true, find: async () => [found], decide: async () => {} },
      }),
    };
  };
  const io = { ...options.io, compose: async () => ({ ...compose, openSystem }) };
  return { ...(await runMain(argv, { ...options, io })), requests, calls };
}
