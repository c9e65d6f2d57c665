import type { AgentParts, FollowRun } from '../agent/ask/index.ts';
import type { Settings } from '../config/index.ts';
import { isServerInScope } from '../contract/access/index.ts';
import type { Agent } from '../contract/agent/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import type { Memory } from '../contract/session/index.ts';
import { lazy, lazyObject, type Log } from '../kernel/index.ts';
import { agentSettings } from './agent-settings.ts';
import { hideSecrets } from './check-code.ts';
import { explanations } from './experience.ts';
import { lookAheadWith } from './look-ahead.ts';
import { projectFiles, readProjectFile } from './project-files.ts';
import type { Roots } from './roots.ts';
import type { ToolFinder } from './tool-finder.ts';
import type { WorkflowsHere } from './workflow.ts';

export interface AgentHereParts {
  readonly settings: Settings;
  readonly roots: Pick<Roots, 'current' | 'folder'>;
  readonly log: Log;
  readonly models: Models;
  readonly memory: Memory;
  readonly contexts: Contexts;
  /** Facts and decisions that people ask to be remembered. */
  readonly notes?: AgentParts['notes'];
  readonly runs: Pick<WorkflowsHere, 'workflows' | 'artifacts'>;
  /** What plans call. */
  readonly catalogue: () => Pick<Catalogue, 'entries' | 'callTool'>;
  readonly finder: () => Pick<ToolFinder, 'findSoon'>;
  /** Changes of the project that can be undone. */
  readonly workspace?: { readonly changes: NonNullable<AgentParts['changes']> };
  readonly servers: AgentParts['servers'];
  readonly experience: Pick<Experience, 'explain' | 'failures'>;
}

/** The servers we ship; what they reach is what the user has set up: files in the roots, the sandbox, their own models. */
export const trustedServers: readonly string[] = [
  'code',
  'standards',
  'docs',
  'exec',
  'workspace',
  'admin',
  'workflow',
  'debug',
  'ml',
];

/** The agent of this process; nothing of it is loaded before it is asked. */
export function agentHere(parts: AgentHereParts): Agent {
  const open = lazy(async () => {
    const { createAgent } = await import('../agent/ask/index.ts');
    const whole = agentParts(parts);
    const agent = createAgent(whole);
    const ask: Agent['ask'] = (request, options) => {
      const { caller } = request;
      if (caller.scopes === undefined) return agent.ask(request, options);
      return createAgent(inScope(whole, parts, caller)).ask(request, options);
    };
    return { ...agent, ask };
  });
  return lazyObject<Agent>(open, {});
}

/** The same, where tools and servers out of the caller's scope do not exist. */
export function inScope(whole: AgentParts, parts: AgentHereParts, caller: Caller): AgentParts {
  return {
    ...whole,
    tools: {
      find: (query, count) => parts.finder().findSoon(query, count, caller),
      entries: () => parts.catalogue().entries(caller),
    },
    servers: async () =>
      (await parts.servers()).filter(({ name }) => isServerInScope(caller, name)),
  };
}

export function agentParts(parts: AgentHereParts): AgentParts {
  const { settings, models, memory, runs } = parts;
  const { workflows } = runs;
  return {
    models,
    memory,
    contexts: { pack: (...given) => parts.contexts.pack(...given) },
    ...(parts.notes && { notes: parts.notes }),
    // Just these: what decides for a person stays out of the agent's reach.
    workflows: {
      check: (...given) => workflows.check(...given),
      start: (...given) => workflows.start(...given),
      show: (...given) => workflows.show(...given),
      list: (...given) => workflows.list(...given),
      cancel: (...given) => workflows.cancel(...given),
      repair: (...given) => workflows.repair(...given),
    },
    follow: followWith(workflows),
    artifacts: runs.artifacts,
    tools: {
      find: (query, count) => parts.finder().findSoon(query, count),
      entries: () => parts.catalogue().entries(),
    },
    planner: lazy(async () => {
      const [{ createPlanner }, { examplePhrases }, { createRecipePlanner }, { recipes }] =
        await Promise.all([
          import('../agent/planner/index.ts'),
          import('../toolbox/phrases/index.ts'),
          import('../agent/recipes/index.ts'),
          import('../toolbox/recipes/index.ts'),
        ]);
      const lookAhead = lookAheadWith(parts.catalogue);
      return createRecipePlanner(createPlanner(examplePhrases), recipes, lookAhead);
    }),
    files: projectFiles(parts.roots),
    project: () => parts.roots.folder(),
    readFile: async (path) => readProjectFile(path, await parts.roots.current()),
    ...(parts.workspace && { changes: parts.workspace.changes }),
    hideSecrets,
    servers: parts.servers,
    ...explanations(parts.experience, parts.roots),
    settings: agentSettings(settings),
    isTrusted: (server) => trustedServers.includes(server),
    log: parts.log.child({ room: 'agent' }),
  };
}

/** A person at a client that can ask is asked there for approvals, past the agent. */
export function followWith(workflows: Pick<Workflows, 'follow' | 'decide'>): FollowRun {
  return async (caller, runId, { signal, onChange, client }) => {
    if (!client) return workflows.follow(caller, runId, { execute: true, signal, onChange });
    const { followRun } = await import('../toolbox/workflow/index.ts');
    const followed: Pick<Workflows, 'follow' | 'decide'> = {
      follow: (who, id, options) => workflows.follow(who, id, { ...options, onChange }),
      decide: (...given) => workflows.decide(...given),
    };
    return followRun(followed, runId, { caller, signal, client, meta: {}, progress: () => {} });
  };
}
