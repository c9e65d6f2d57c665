import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AgentChecks, ModelLoop } from '../agents/index.ts';
import { type Agents, type AgentVersions, taskSpendingScope } from '../contract/agents/index.ts';
import { isInScope } from '../contract/access/index.ts';
import { localCaller, type Caller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { digestJson, lazy, lazyObject, systemTimers } from '../kernel/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import { projectFiles } from './project-files.ts';
import { agentFiles, userAgentsFolder } from './agent-files.ts';
import { agentLoop } from './agent-loop.ts';
import { followWith, trustedServers, type AgentHereParts } from './agent.ts';
import { pinWith } from './pin-context.ts';
import { pastRuns, writeAgentFile } from './project-agents.ts';
import type { SettingsRequest } from './settings.ts';
import { traceAttempts } from './trace-rooms.ts';

export interface AgentsHereParts extends Omit<AgentHereParts, 'catalogue'> {
  readonly store: Store;
  readonly tracing: Pick<Tracing, 'traced'>;
  readonly request: SettingsRequest;
  readonly catalogue: () => Catalogue;
}

/** Tasks that one request may begin at all, agents of agents included. */
const maxHops = 20;
const maxAttempts = 3;
const maxDepth = 3;
/** Of a project, to see its language. */
const maxListedFiles = 2_000;

/** Closing waits for what is compared beside answers. */
type ClosableAgents = Agents & { close(): Promise<void> };

/** The agents of this process; nothing of them is loaded before one is asked for. */
export function agentsHere(parts: AgentsHereParts): ClosableAgents {
  const open = lazy(async () => {
    const { createAgentChoice, createAgents } = await import('../agents/index.ts');
    const { settings, store, runs, catalogue, contexts, request } = parts;
    const { workflows } = runs;
    const entries = (): ReturnType<Catalogue['entries']> => catalogue().entries();
    const followRun = followWith(workflows);
    const { choice, versions: comparing } = settings.agents;
    const learning = { log: store.choices, choice, versions: comparing };
    const { chooser, versions } = createAgentChoice(learning);
    const loop: ModelLoop = agentLoop(parts);
    return createAgents({
      files: () => agentFiles(parts),
      checks: checksHere(parts),
      findTool: async (name) => (await entries()).find((entry) => entry.name === name)?.tool,
      currentVersions: (caller) => currentVersions(versions, caller),
      store: store.delegations,
      spentBy: (caller, ids) => store.spending.spentBy(caller, ids.map(taskSpendingScope)),
      chooser,
      versions,
      workflows,
      follow: (runId, { caller, signal, client }, onChange) =>
        followRun(caller, runId, {
          signal,
          onChange,
          ...(client && { client }),
        }),
      loop,
      isOwnTool: (tool) =>
        tool.startsWith('agent.') || trustedServers.includes(tool.split('.')[0] ?? ''),
      timers: systemTimers,
      limits: limitsIn(settings),
      toolsFor: async (caller) =>
        (await entries()).map(({ name }) => name).filter((name) => isInScope(caller, name)),
      pastRuns: (caller) => pastRuns(parts, caller),
      projectPaths: () => projectFiles(parts.roots).list(maxListedFiles),
      pathExists: (path) => path !== '' && existsSync(join(request.cwd, path)),
      showRun: (caller, runId) => workflows.show(caller, runId),
      writeFile: (name, text) => writeAgentFile(userAgentsFolder(request), { name, text }),
      project: async () => projectName((await parts.roots.current())[0]),
      pinContext: pinWith({ contexts, workflows }),
      log: parts.log.child({ room: 'agents' }),
      traceAttempt: traceAttempts(parts.tracing),
    });
  });
  const versions = lazyObject<AgentVersions>(
    lazy(async () => (await open()).versions),
    {},
  );
  return lazyObject<ClosableAgents>(open, { versions });
}

/** Of a task that no other task began. */
function limitsIn({ agent }: AgentsHereParts['settings']) {
  return {
    depth: maxDepth,
    rounds: agent.max_rounds,
    calls: agent.max_calls,
    minutes: agent.max_minutes,
    tokens: maxTokens,
    moneyUsd: maxMoneyUsd,
    hops: maxHops,
    attempts: maxAttempts,
  };
}

/** Two projects of the same name are two, and a path may be longer than a name. */
function projectName(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  return `${basename(path).slice(0, 40)}-${digestJson(path).slice(0, 6)}`;
}

/** What agent files are compared with. */
function checksHere({ catalogue, servers, runs }: AgentsHereParts): AgentChecks {
  const entries = (): ReturnType<Catalogue['entries']> => catalogue().entries();
  return {
    tools: async () => (await entries()).map(({ name }) => name).sort(),
    servers: async () => {
      const listed = (await entries()).map(({ server }) => server);
      const configured = (await servers()).map(({ name }) => name);
      return [...new Set([...listed, ...configured])].sort();
    },
    checkPlan: (plan) => runs.workflows.check(localCaller, { kind: 'data', plan }),
  };
}

/** Of each agent the version that does the tasks, and the one it is compared with. */
async function currentVersions(
  versions: AgentVersions,
  caller: Caller,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await versions.status(caller);
  return new Map(
    found.map(({ agent, current, experiment }) => {
      const named = [current ?? experiment?.current, experiment?.candidate];
      return [agent, named.filter((version) => typeof version === 'string')];
    }),
  );
}

const maxTokens = 1_000_000;
const maxMoneyUsd = 5;
