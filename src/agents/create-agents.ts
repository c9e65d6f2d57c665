import type { Agents } from '../contract/agents/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { RunView } from '../contract/run/index.ts';
import { addAgents, type AddParts } from './definition/add-agents.ts';
import { decompose } from './decompose/decompose.ts';
import { choiceRequest, modelsThere, optionsFor, toJson } from './delegate/agent-options.ts';
import { Beside } from './delegate/beside.ts';
import { budgetOf } from './delegate/budget.ts';
import { delegate, type DelegateParts, explainRun } from './delegate/delegate.ts';
import { judge } from './delegate/judge.ts';
import { proposeAgents, type PastRun } from './propose/propose-agents.ts';
import { Registry, type RegistryParts } from './registry/registry.ts';

interface AgentsParts
  extends
    Omit<DelegateParts, 'registry' | 'beside'>,
    Omit<RegistryParts, 'store'>,
    Pick<AddParts, 'writeFile'> {
  /** The latest runs of a caller with their plans. */
  readonly pastRuns: (caller: Caller) => Promise<readonly PastRun[]>;
  /** Of the folder of the process. */
  readonly pathExists: (path: string) => boolean;
  /** Files of the project, as many as are worth listing. */
  readonly projectPaths: () => Promise<readonly string[]>;
  readonly showRun: (caller: Caller, runId: string) => Promise<RunView>;
}

/** Agents as the faces use them. */
export function createAgents(parts: AgentsParts): Agents & { close(): Promise<void> } {
  const registry = new Registry(parts);
  const beside = new Beside(parts);
  const delegating: DelegateParts = { ...parts, registry, beside };
  return {
    close: () => beside.close(),
    list: (caller) => registry.list(caller),
    show: (caller, name, version) => registry.show(caller, name, version),
    delegate: (request, context) => delegate(delegating, request, context),
    why: (caller, runId) => explainRun(parts.store, caller.id, runId),
    wouldChoose: async (caller, request) => {
      const tools = await parts.toolsFor(caller);
      const fresh = { key: 'explain', limits: parts.limits, tools, nowMs: parts.timers.now() };
      const budget = budgetOf({}, fresh);
      const models = await modelsThere(parts.loop);
      const options = await optionsFor(registry, { request, budget, models }, caller);
      const mayExplore = options.every(({ ready }) => ready.isReading);
      const project = await parts.project();
      const asked = choiceRequest(options, { request, caller, mayExplore, project });
      return toJson(await parts.chooser.explain(asked));
    },
    judge: (caller, judgement) => judge(parts, caller, judgement),
    versions: parts.versions,
    setEnabled: (caller, name, wanted) => registry.setEnabled(caller, name, wanted),
    add: (files) =>
      addAgents({ ...parts, isTaken: (name, version) => registry.has(name, version) }, files),
    decompose: async (caller, task, afterRun) =>
      decompose({
        task,
        hasModel: (await modelsThere(parts.loop)).size > 0,
        pathExists: parts.pathExists,
        paths: await parts.projectPaths(),
        meanMs: await parts.store.durations(caller.id),
        ...(afterRun !== undefined && { after: await parts.showRun(caller, afterRun) }),
      }),
    propose: async (caller) =>
      proposeAgents(await parts.pastRuns(caller), await registry.definitions()),
  };
}
