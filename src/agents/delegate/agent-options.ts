import type { ModelRole } from '../../contract/model/index.ts';
import type {
  AgentBudget,
  Choice,
  ChoiceRequest,
  DelegateRequest,
} from '../../contract/agents/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import {
  CircularDelegationError,
  NoCandidatesError,
  NoProcedureError,
  OutsideLimitsError,
  UnavailableAgentError,
} from '../errors.ts';
import { toolsIn } from '../definition/check-agent.ts';
import type { ReadyAgent, Registry } from '../registry/registry.ts';
import type { ModelLoop } from './run-attempt.ts';
import { classOf } from './task-class.ts';
import type { DelegationRow } from './delegation-store.ts';

/** A call that wants a task done, with what is left for it. */
export interface Task {
  readonly key: string;
  readonly request: DelegateRequest;
  readonly budget: AgentBudget;
  readonly parentRun: string | null;
  readonly parentStep: string | null;
  readonly capability: string | undefined;
  /** Roles that a model is there for. */
  readonly models: ReadonlySet<ModelRole>;
}

/** A version that may do the task, with the capability it does it by. */
export interface Option {
  readonly ready: ReadyAgent;
  readonly capability: string;
  readonly decision: Json;
  readonly decisionId: string | null;
}

export async function modelsThere(loop: Pick<ModelLoop, 'isThere'>): Promise<Set<ModelRole>> {
  const roles: readonly ModelRole[] = ['agent', 'code'];
  const there = await Promise.all(roles.map((role) => loop.isThere(role)));
  return new Set(roles.filter((_role, index) => there[index] === true));
}

/** Which agents there are for a task depends on files, tools and rights alone; the chooser puts them in order. */
export async function optionsFor(
  registry: Registry,
  { request, budget, models }: Pick<Task, 'request' | 'budget' | 'models'>,
  caller: CallContext['caller'],
): Promise<readonly Pick<Option, 'ready' | 'capability'>[]> {
  const { agent: name, capability, version } = request;
  const found = await candidatesFor(registry, { name, capability, version }, caller);
  if (found.length === 0) {
    const { agents } = await registry.list(caller);
    const known = new Set(agents.flatMap(({ capabilities }) => capabilities));
    throw new NoCandidatesError(capability ?? '', [...known].toSorted());
  }
  if (name !== undefined && budget.chain.includes(name))
    throw new CircularDelegationError(name, budget.chain);
  const fresh = found.filter(({ agent }) => !budget.chain.includes(agent.name));
  const [excluded] = found;
  if (fresh.length === 0 && excluded)
    throw new CircularDelegationError(excluded.agent.name, budget.chain);
  const options = fresh.map((ready) => ({
    ready,
    capability: capability ?? bestCapability(ready, request.task),
  }));
  const able = options.filter(
    ({ ready: { agent }, capability: wanted }) =>
      Object.hasOwn(agent.procedures, wanted) ||
      (agent.model !== 'none' && models.has(agent.model)),
  );
  const [unable] = options;
  if (able.length === 0 && unable)
    throw new NoProcedureError(unable.ready.agent.name, unable.capability);
  const working = able.filter(({ ready }) => ready.reason === null);
  const [broken] = able;
  if (working.length === 0 && broken) {
    throw new UnavailableAgentError(broken.ready.agent.name, broken.ready.reason ?? '');
  }
  const allowed = working.filter((one) => deniedTool(one, budget) === undefined);
  const [outside] = working;
  const denied = outside && deniedTool(outside, budget);
  if (allowed.length === 0 && outside && denied !== undefined)
    throw new OutsideLimitsError(denied, [...budget.chain, outside.ready.agent.name]);
  return allowed;
}

/** A tool that the agent needs without a model, and that those it works for may not call. */
function deniedTool(
  { ready, capability }: Pick<Option, 'ready' | 'capability'>,
  { tools }: AgentBudget,
): string | undefined {
  const procedure = ready.agent.procedures[capability];
  const needed = procedure ? toolsIn(procedure.plan) : [];
  return needed.find(({ tool }) => !tools.includes(tool))?.tool;
}

interface Wanted {
  readonly name: string | undefined;
  readonly capability: string | undefined;
  readonly version: string | undefined;
}

/** A version that was named is not compared with another. */
async function candidatesFor(
  registry: Registry,
  { name, capability, version }: Wanted,
  caller: CallContext['caller'],
): Promise<readonly ReadyAgent[]> {
  if (name === undefined) return registry.withCapability(caller, capability ?? '');
  if (version === undefined) return registry.withName(caller, name);
  return [await registry.find(caller, name, version)];
}

/** Of an agent that was named without one: the capability whose words are in the task, else its first. */
function bestCapability({ agent }: ReadyAgent, task: string): string {
  const words = task.toLowerCase();
  const score = (capability: string): number =>
    capability.split(/[.-]/).filter((word) => words.includes(word.replace(/s$/, ''))).length;
  const [first = ''] = agent.capabilities;
  return agent.capabilities.reduce((best, one) => (score(one) > score(best) ? one : best), first);
}

export function choiceRequest(
  options: readonly Pick<Option, 'ready' | 'capability'>[],
  {
    request,
    caller,
    mayExplore,
    project,
  }: {
    request: Pick<DelegateRequest, 'task' | 'inputs'>;
    caller: CallContext['caller'];
    mayExplore: boolean;
    project: string | undefined;
  },
): ChoiceRequest {
  const capability = options[0]?.capability ?? '';
  return {
    caller,
    task: classOf(request, { capability, project }),
    candidates: options.map(({ ready }) => ({
      agent: ready.agent.name,
      version: ready.agent.version,
      health: ready.health,
      load: ready.load,
    })),
    mayExplore,
  };
}

export function inOrder(
  options: readonly Pick<Option, 'ready' | 'capability'>[],
  choice: Choice,
): Option[] {
  const decision = toJson(choice);
  return choice.order.flatMap(({ agent, version }) => {
    const option = options.find(
      ({ ready }) => ready.agent.name === agent && ready.agent.version === version,
    );
    return option ? [{ ...option, decision, decisionId: choice.decisionId }] : [];
  });
}

/** What was decided before a crash stays decided. */
export async function rememberedOrder(
  registry: Registry,
  task: Task,
  row: DelegationRow,
): Promise<readonly Option[]> {
  const { decision } = row;
  const order = Object(decision).order;
  const names: readonly { agent: string; version: string }[] = Array.isArray(order) ? order : [row];
  const options: Option[] = [];
  for (const { agent, version } of names) {
    const ready = await registry.find({ id: row.callerId }, agent, version).catch(() => undefined);
    if (!ready || task.budget.chain.includes(agent)) continue;
    const decisionId: unknown = Object(decision).decisionId;
    options.push({
      ready,
      capability: row.capability,
      decision,
      decisionId: typeof decisionId === 'string' ? decisionId : null,
    });
  }
  return options;
}

/** Numbers, texts and lists of our own: JSON gives them back as they are. */
export function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
